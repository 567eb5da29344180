-- A stack with a metatable.
local Stack = {}
Stack.__index = Stack

function Stack.new(...)
  local self = setmetatable({ items = { ... }, count = select("#", ...), ["a b"] = 1 }, Stack)
  return self
end

function Stack:push(value, times)
  for i = 1, times or 1 do
    self.items[#self.items + 1] = value
  end
  for key, item in pairs(self.items) do
    if item == nil then goto continue elseif key > 10 then break else print(key, item) end
    ::continue::
  end
  while self.count < 3 do self.count = self.count + 1 end
  repeat local done = not self.done until done
  return self, [[long
  string]] .. 'short' .. -2 ^ 3
end

print(Stack.new(1, 2):push { 3 }, "x")
