/** Plain prose, written for this project: the whole knowledge of language that the demo model has. */
export const authoredText =
  `The river runs through the old town and under three stone bridges. In the morning the market opens on the square,
and people come from the villages with bread, apples, honey and fresh fish. A small train goes up the hill every hour, past the school and the
library, to the forest where the children play in the afternoon. When it rains, the water drums on the copper roofs and the cats sit in the
windows and watch. In winter the river freezes near the mill, and the lamps along the bank are lit at four o'clock.

The teacher says that a good question is worth more than a quick answer. First she reads the question twice, then she writes down what is known,
and only then does she begin to work. If the answer looks strange, she tries another way and compares the two. Most mistakes are small: a number
copied wrongly, a word that was not read, a step that was left out. It is better to say that you do not know than to say something that is not
true.

The garden behind the house has a long table under a pear tree. On Sunday the whole family sits there, and everybody brings something: soup in a
large pot, a cake with plums, a basket of bread. The grandmother tells how the house was built, how her father carried the stones from the river,
and how the first winter was so cold that the ink froze in the glass. The children have heard the story many times, and they ask for it again.

At night the town is quiet. A light burns in the bakery, where the first loaves are already in the oven, and another in the station, where the
clerk waits for the mail. The moon stands over the hill, the river goes on under the bridges, and far away a dog answers another dog. Tomorrow the
market will open again, the train will climb the hill, and somebody will ask a question that nobody has asked before.`.replace(
    /\n(?!\n)/g,
    " "
  )
