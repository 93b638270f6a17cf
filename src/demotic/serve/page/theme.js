// Light, dark, or what the system says.

const NEXT = { system: "light", light: "dark", dark: "system" };

export function theming(button) {
  let theme = remembered();
  const apply = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // Private windows have no storage; the theme holds as long as the page.
    }
    apply();
  });
  apply();
}

function remembered() {
  try {
    const kept = localStorage.getItem("theme");
    return kept in NEXT ? kept : "system";
  } catch {
    return "system";
  }
}
