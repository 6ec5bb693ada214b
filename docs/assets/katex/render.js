// Sets what formulas.py left: elements that hold a formula as readable text, and as TeX in data-tex.
for (const one of document.querySelectorAll("[data-tex]")) {
  katex.render(one.dataset.tex, one, { throwOnError: false, strict: false });
}
