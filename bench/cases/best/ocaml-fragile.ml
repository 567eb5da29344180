type a=A|B
let _=function A->0|_->0