// Text whose contrast is below WCAG's AA, with its ratio; and how many texts were looked at.
() => {
  const numbers = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const rgba = (text) => {
    const found = numbers(text);
    if (text.startsWith("color(srgb")) return [...found.slice(0, 3).map((x) => 255 * x), found[3] ?? 1];
    return [...found.slice(0, 3), found[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((x, i) => x * top[3] + below[i] * (1 - top[3]));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((x) => ((x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    const layers = [];
    for (let each = node; each; each = each.parentElement) {
      const box = each.matches("g.box") ? each.querySelector("rect") : null;
      layers.push(rgba(box ? getComputedStyle(box).fill : getComputedStyle(each).backgroundColor));
    }
    return layers.reverse().reduce((below, top) => (top[3] ? over(top, below) : below), [255, 255, 255]);
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest("[aria-hidden=true], script, style, noscript, title, :disabled, .later")) continue;
    if (!node.getClientRects().length) continue;
    const style = getComputedStyle(node);
    const svg = node instanceof SVGElement;
    const ground = behind(node);
    const ink = over(rgba(svg ? style.fill : style.color), ground);
    const [light, dark] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (light + 0.05) / (dark + 0.05);
    seen++;
    if (ratio < (large ? 3 : 4.5)) low.push(`${ratio.toFixed(2)} ${node.className.baseVal ?? node.className}: ${walker.currentNode.data.slice(0, 40)}`);
  }
  return [seen, low];
}
