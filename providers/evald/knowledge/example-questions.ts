/** Solved examples for few-shot prompts (CC0). Never asked as items: no question of the other sets is here. */
export const EXAMPLE_QUESTIONS = `
example | What colour is the sky on a clear day? | Blue | Green | Red | Brown
example | How many legs does a dog have? | Four | Two | Six | Eight
example | What is the capital of France? | Paris | Lyon | Nice | Lille
example | Which season follows winter? | Spring | Summer | Autumn | Winter again
example | What do cows give that people drink? | Milk | Juice | Tea | Oil
example | Which of these is a fruit? | Apple | Potato | Onion | Carrot
example | What do we use to cut paper? | Scissors | Spoon | Pillow | Cup
example | How many hours does a day have? | 24 | 12 | 60 | 10
example | Which animal barks? | Dog | Cat | Cow | Duck
example | What is frozen water called? | Ice | Steam | Fog | Sand
example | Which day comes after Monday? | Tuesday | Sunday | Friday | Thursday
example | What do we hear with? | Ears | Eyes | Hands | Teeth
example | Which of these can fly? | Sparrow | Horse | Pig | Snail
example | What do you wear on your feet? | Shoes | Gloves | Hat | Scarf
example | Which of these is a vehicle? | Bus | Table | Tree | Lamp
example | How many fingers are on two hands, thumbs included? | Ten | Five | Eight | Twelve
`
