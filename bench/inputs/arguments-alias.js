// An event queue whose handlers change their arguments. In sloppy functions the arguments object
// and the parameters are one; in mujs 1.3 they are not.
var log = [];
var handlers = {};
function on(name, handler) {
  if (!handlers[name]) {
    handlers[name] = [];
  }
  handlers[name].push(handler);
}
function emit(name) {
  var rest = Array.prototype.slice.call(arguments, 1);
  var list = handlers[name] || [];
  var result = 0;
  for (var i = 0; i < list.length; i++) {
    try {
      result += list[i].apply(null, rest);
    } catch (error) {
      log.push(error.message);
      if (error.message === "not the same") {
        throw error;
      }
    } finally {
      log.push(name);
    }
  }
  return result;
}
function normalize(value, least) {
  if (value < least) {
    arguments[0] = least;
  }
  if (arguments[0] !== value) {
    throw new Error("not the same");
  }
  return value;
}
on("start", function () { return 1; });
on("level", function (x) { return normalize(x, 10); });
on("level", function (x) { return x * 2; });
on("stop", function () { return log.length; });
var sum = emit("start", true);
sum += emit("level", 3);
switch (sum % 4) {
  case 0: sum++; break;
  case 1: sum--; break;
  default: sum = 0;
}
emit("stop", sum, log.join(","));
