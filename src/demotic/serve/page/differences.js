// Where two texts have the same words, and where they differ.
import { element } from "./dom.js";

const LONGEST = 400;

// Words of a text, wherever its language puts spaces or none.
export function wordsOf(text) {
  if (!globalThis.Intl || !Intl.Segmenter) {
    return [...text.matchAll(/\S+/gu)].map((found) => ({ text: found[0], start: found.index }));
  }
  return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)]
    .filter((each) => each.segment.trim() !== "")
    .map((each) => ({ text: each.segment, start: each.index }));
}

// The numbers of the words of each list that are in a longest common subsequence.
export function shared(one, other) {
  const own = new Set();
  const others = new Set();
  let begin = 0;
  while (begin < one.length && begin < other.length && one[begin] === other[begin]) {
    own.add(begin);
    others.add(begin++);
  }
  const n = one.length - begin;
  const m = other.length - begin;
  if (n > LONGEST || m > LONGEST) return [own, others];
  const best = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      const same = one[begin + i] === other[begin + j];
      best[i][j] = same ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (one[begin + i] === other[begin + j]) {
      own.add(begin + i++);
      others.add(begin + j++);
    } else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  }
  return [own, others];
}

// Pieces of a match of the memory: what is the same, what was stored (struck out), what is given instead.
export function marked(pieces) {
  const line = element("span", { class: "difference" });
  pieces.forEach((piece, at) => {
    if (at) line.append(" ");
    const stored = piece.stored.join(" ");
    const given = piece.given.join(" ");
    if (stored === given) {
      line.append(given);
      return;
    }
    if (stored) line.append(element("del", {}, stored));
    if (stored && given) line.append(" ");
    if (given) line.append(element("ins", {}, given));
  });
  return line;
}
