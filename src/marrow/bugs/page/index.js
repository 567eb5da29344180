const body = document.querySelector("#bugs tbody"), rows = [...body.rows];
document.querySelector("#search").addEventListener("input", event => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    shown += !row.hidden;
  }
  document.querySelector("#shown").textContent = words.length ? `${shown} of ${rows.length} shown` : "";
});
document.querySelectorAll("#bugs th button").forEach((button, column) => {
  button.addEventListener("click", () => {
    const head = button.parentElement, up = head.getAttribute("aria-sort") !== "ascending";
    document.querySelectorAll("#bugs th").forEach(one => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = row => row.cells[column].dataset.sort ?? row.cells[column].textContent;
    rows.sort((one, other) => value(one).localeCompare(value(other), "en", {numeric: true}) * (up ? 1 : -1));
    body.append(...rows);
  });
});
