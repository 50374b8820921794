/** Open questions with a plainly relevant answer (CC0). One a line: question | answer. */
export const RELEVANCY_QUESTIONS = `
Why do leaves change their colour in autumn? | The green pigment of the leaves breaks down in autumn, so that yellow and red colours become visible.
How can I keep bread fresh for longer? | Keep bread in a cloth bag or a bread box at room temperature, and freeze what you will not eat within two days.
What should I look for when buying a used bicycle? | When buying a used bicycle, check the frame for cracks, the brakes, the chain and whether the wheels run straight.
Why is the sea salty? | Rivers wash salts out of rocks into the sea, and when its water evaporates the salt stays behind.
How do I write a good job application? | A good application is short, names the job, and shows with examples why you fit it.
What does a lighthouse do? | A lighthouse sends out a light so that ships know where the coast and its dangers are.
How can I fall asleep more easily? | Go to bed at the same time every day, keep the room dark and cool, and put screens away to fall asleep more easily.
Why do cats purr? | Cats purr when they are content, but also to calm themselves when they are in pain or afraid.
How does a refrigerator keep food cold? | A refrigerator pumps a fluid that takes up heat from the food inside and gives it off at the back.
What is the advantage of public transport over cars? | Public transport carries many people at once, so it needs less space and energy than cars.
How do I remove a coffee stain from a shirt? | Rinse the stain with cold water, rub in a little soap, and wash the shirt as usual before the coffee dries.
Why do we have time zones? | Time zones keep noon near the middle of the day everywhere, since the Earth turns and places see the sun at different moments.
How should I prepare for a hike in the mountains? | Before a hike in the mountains, check the weather, wear firm shoes, and pack water, food and warm clothes.
What makes a password safe? | A password is safe when it is long, random and used for only one account.
How do vaccines protect people? | Vaccines show the immune system a harmless part of a germ, so that it can protect people faster later.
Why do onions make us cry? | Cut onions release a gas that forms a mild acid in the eyes, and tears wash it away: that is why we cry.
How can a family save water at home? | A family can save water by showering briefly, repairing dripping taps and running the washing machine only when it is full.
What is the purpose of a library? | The purpose of a library is to lend books and other media to everyone and to offer a quiet place to read.
How do birds find their way when they migrate? | Birds that migrate use the sun, the stars, landmarks and the magnetic field of the Earth to find their way.
Why should I warm up before sport? | To warm up before sport makes muscles more elastic and lowers the risk of an injury.
How is glass made? | Glass is made by melting sand with soda and lime at a high temperature and cooling it slowly.
What can I do against mosquitoes in my bedroom? | Put a net on the window of the bedroom and remove standing water nearby, then mosquitoes stay away.
How do I plan a birthday party for a child? | For a child's birthday party, invite not too many guests, plan a few games and have a cake.
Why does metal feel colder than wood? | Metal leads heat away from the hand faster than wood, so it feels colder at the same temperature.
How can I learn to play the guitar? | To learn to play the guitar, start with a few chords, practise a little every day and play songs you like.
What is compost good for? | Compost is good for the garden because it returns nutrients to the soil and keeps it loose.
Why do some countries drive on the left? | Some countries drive on the left because of old habits of riders and coaches that became law later.
How do I choose the right pair of running shoes? | Choose running shoes in the evening, with a thumb's width of room in front, and run a few steps to test the pair.
What happens in a volcano when it erupts? | When a volcano erupts, gas and molten rock rise from below and break out through its vent.
How can I make a small room look larger? | Light colours, a mirror and little furniture make a small room look larger.
`
