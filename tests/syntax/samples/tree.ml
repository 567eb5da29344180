(* Binary trees. *)
type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree

exception Not_found_here of string

let rec insert x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) as t ->
    if x < y then Node (insert x l, y, r)
    else if x > y then Node (l, y, insert x r)
    else t

module Counter = struct
  let count = ref 0
  let next ?(step = 1) () = count := !count + step; !count
end

let () =
  let t = List.fold_left (fun acc x -> insert x acc) Leaf [3; 1; 2] in
  let rec depth = function Leaf -> 0 | Node (l, _, r) -> 1 + max (depth l) (depth r) in
  try Printf.printf "%d %s\n" (depth t) "text" with
  | Not_found_here name when name <> "" -> raise Exit
  | _ -> ignore (Counter.next ~step:2 ())
