module Shape (Shape(..), area, main) where

import qualified Data.Map as Map
import Data.List (sortBy, foldl')

-- | A shape.
data Shape = Circle Double | Rectangle { width :: Double, height :: Double } deriving (Show, Eq)

class HasArea a where
  area :: a -> Double

instance HasArea Shape where
  area (Circle r) = pi * r * r
  area (Rectangle w h) = w * h

total :: [Shape] -> Double
total shapes = foldl' (+) 0 areas
  where
    areas = map area shapes

main :: IO ()
main = do
  let shapes = [Circle 1, Rectangle 2 3]
      names = Map.fromList [(1, "one"), (2, "two")]
  print (total shapes)
  case Map.lookup 1 names of
    Just name | length name > 2 -> putStrLn name
              | otherwise -> return ()
    Nothing -> if null shapes then putStrLn "none" else mapM_ (\s -> print s) shapes
