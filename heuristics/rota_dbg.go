package heuristics

var RotaHot, RotaCold, RotaWork = 1e-2, 5e-4, 12_000_000
