// Check a JavaScript file: it parses, and every name it uses is declared somewhere in it or known
// to node. Scopes are not told apart: that would need an analysis, and names are rarely shared.
"use strict";

const fs = require("fs");
const acorn = require(`${process.env.TOOLS}/node_modules/acorn`);

const KNOWN = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...["require", "module", "exports", "__dirname", "__filename", "arguments", "undefined"],
  ...["window", "self", "document", "define", "navigator", "location", "ActiveXObject"],
  ...["importScripts", "XMLHttpRequest", "WebSocket", "localStorage", "event", "chrome"],
]);

function parse(text) {
  const options = { ecmaVersion: "latest", allowHashBang: true, allowReturnOutsideFunction: true };
  try {
    return acorn.parse(text, { ...options, sourceType: "script" });
  } catch {
    return acorn.parse(text, { ...options, sourceType: "module" });
  }
}

// The names that a pattern declares.
function declare(pattern, declared) {
  const pending = [pattern];
  while (pending.length) {
    const one = pending.pop();
    if (!one) continue;
    if (one.type === "Identifier") declared.add(one.name);
    else if (one.type === "ObjectPattern") pending.push(...one.properties.map((p) => p.value || p));
    else if (one.type === "ArrayPattern") pending.push(...one.elements);
    else if (one.type === "AssignmentPattern") pending.push(one.left);
    else if (one.type === "RestElement") pending.push(one.argument);
  }
}

function names(program) {
  const declared = new Set();
  const used = new Set();
  const pending = [program];
  while (pending.length) {
    const node = pending.pop();
    if (node.type === "VariableDeclarator") declare(node.id, declared);
    else if (/Function/.test(node.type)) {
      declare(node.id, declared);
      node.params.forEach((parameter) => declare(parameter, declared));
    } else if (/^Class(Declaration|Expression)$/.test(node.type)) declare(node.id, declared);
    else if (node.type === "CatchClause") declare(node.param, declared);
    else if (/^Import.*Specifier$/.test(node.type)) declare(node.local, declared);
    else if (node.type === "Identifier") used.add(node.name);
    for (const [key, value] of Object.entries(node)) {
      if (skipped(node, key)) continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child && typeof child.type === "string") pending.push(child);
      }
    }
  }
  return [...used].filter((name) => !declared.has(name) && !KNOWN.has(name));
}

// Names that stand for themselves: properties, labels, what modules call things.
function skipped(node, key) {
  if (key === "property") return node.type === "MemberExpression" && !node.computed;
  if (key === "key") return !node.computed;
  if (key === "label") return true;
  return key === "imported" || key === "exported" || key === "meta";
}

const missing = names(parse(fs.readFileSync(process.argv[2], "utf8")));
if (missing.length) {
  console.error(`not declared: ${missing.join(" ")}`);
  process.exit(1);
}
