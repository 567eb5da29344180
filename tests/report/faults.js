// Returns what is wrong with a page for everybody: names, headings, contrast, width.
const faults = [];
const name = (e) => (e.getAttribute('aria-label') || e.textContent || e.closest('label')?.textContent || '').trim();
for (const e of document.querySelectorAll('button, input, textarea, summary, svg, [tabindex]'))
  if (!name(e)) faults.push('no name: ' + e.outerHTML.slice(0, 60));
if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
if (!document.documentElement.lang) faults.push('no language');
const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255;
  return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const back = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
  if (!/, 0\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
for (const e of document.querySelectorAll('h1, h2, p, dt, dd, th, td, button, pre, span, summary')) {
  if (!e.offsetParent || !e.textContent.trim()) continue;
  const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) faults.push('contrast ' + e.id + e.className + ' ' + e.textContent.slice(0, 20));
}
if (document.documentElement.scrollWidth > innerWidth) faults.push('too wide: ' + document.documentElement.scrollWidth);
return faults;
