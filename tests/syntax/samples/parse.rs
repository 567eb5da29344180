//! A parser of sums.
use std::collections::HashMap;
use std::fmt::{self, Display};

#[derive(Debug, Clone, PartialEq)]
pub enum Expr<'a> { Number(i64), Name(&'a str), Sum { left: Box<Expr<'a>>, right: Box<Expr<'a>> } }

impl<'a> Display for Expr<'a> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(n) if *n < 0 => write!(f, "({})", n),
            Expr::Number(n) => write!(f, "{n}"),
            Expr::Name(name) => f.write_str(name),
            Expr::Sum { left, right } => write!(f, "{} + {}", left, right),
        }
    }
}

/// Evaluates.
pub fn eval<T>(expr: &Expr, names: &HashMap<String, i64>, _extra: Option<T>) -> Result<i64, String>
where
    T: Clone + 'static,
{
    let value = match expr {
        Expr::Number(n) => *n,
        Expr::Name(name) => *names.get(*name).ok_or_else(|| format!("no {}", name))?,
        Expr::Sum { left, right } => eval::<T>(left, names, None)? + eval::<T>(right, names, None)?,
    };
    if let Some(0..=9) = Some(value) { return Ok(value); }
    let mut total = 0u32; // counts
    'outer: loop { for i in 0..10 { total += i; if total > 20 { break 'outer; } } }
    Ok(value + total as i64)
}

macro_rules! square { ($x:expr) => { $x * $x }; }
