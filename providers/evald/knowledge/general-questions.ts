/** Authored questions of general knowledge (CC0). One a line: topic | question | right answer | three wrong ones. Facts that do not change with the years. */
export const GENERAL_QUESTIONS = `
geography | What is the capital of Australia? | Canberra | Sydney | Melbourne | Perth
geography | Which ocean lies between Africa and Australia? | Indian Ocean | Atlantic Ocean | Arctic Ocean | Caribbean Sea
geography | Which river flows through Cairo? | Nile | Niger | Congo | Zambezi
geography | Mount Kilimanjaro stands in which country? | Tanzania | Uganda | Ethiopia | Zambia
geography | Which desert covers much of northern Africa? | Sahara | Gobi | Atacama | Kalahari
geography | What is the capital of Canada? | Ottawa | Toronto | Montreal | Vancouver
geography | Which strait separates Spain from Morocco? | Strait of Gibraltar | Bosporus | Strait of Hormuz | Bering Strait
geography | Which country is shaped like a boot on maps of Europe? | Italy | Greece | Portugal | Norway
geography | Which is the smallest of these continents by area? | Australia | Europe | Antarctica | South America
geography | Lake Titicaca lies on the border of Peru and which other country? | Bolivia | Chile | Ecuador | Paraguay
geography | Which city lies on both Europe and Asia? | Istanbul | Athens | Cairo | Tbilisi
geography | What is the capital of New Zealand? | Wellington | Auckland | Christchurch | Hamilton
geography | Which mountain range separates France from Spain? | Pyrenees | Alps | Carpathians | Apennines
geography | Which of these countries has no sea coast? | Switzerland | Portugal | Croatia | Denmark
geography | Through which capital city does the Seine flow? | Paris | London | Vienna | Rome
history | In which year did the Second World War end? | 1945 | 1918 | 1939 | 1963
history | Who was the first person to walk on the Moon? | Neil Armstrong | Yuri Gagarin | John Glenn | Michael Collins
history | Which ancient civilisation built Machu Picchu? | Inca | Maya | Aztec | Olmec
history | The Berlin Wall was opened in which year? | 1989 | 1961 | 1975 | 1999
history | Who was the first emperor of Rome? | Augustus | Julius Caesar | Nero | Hadrian
history | The Rosetta Stone helped scholars to read which script? | Egyptian hieroglyphs | Linear A | Runes | Mayan glyphs
history | Which revolution began in 1789 with the storming of the Bastille? | French Revolution | Russian Revolution | American Revolution | Glorious Revolution
history | Which empire was ruled by Genghis Khan? | Mongol Empire | Ottoman Empire | Persian Empire | Roman Empire
history | What was the name of the ship that sank on its first voyage in April 1912? | Titanic | Lusitania | Bismarck | Mayflower
history | Which document of 1215 limited the power of the English king? | Magna Carta | Bill of Rights | Domesday Book | Treaty of Versailles
history | Who led India's campaign of non-violent resistance to British rule? | Mahatma Gandhi | Subhas Chandra Bose | Akbar | Ashoka
history | Which city was buried by the eruption of Vesuvius in the year 79? | Pompeii | Carthage | Sparta | Troy
history | Johannes Gutenberg is known for which invention in Europe? | Movable-type printing | Steam engine | Telescope | Gunpowder
history | Which wall was built by the Romans across northern England? | Hadrian's Wall | Aurelian Wall | Western Wall | Offa's Dyke
history | Which country gave the Statue of Liberty to the United States? | France | Spain | Italy | Germany
history | Nelson Mandela became president of which country in 1994? | South Africa | Kenya | Nigeria | Zimbabwe
literature | Who wrote the play "Hamlet"? | William Shakespeare | Christopher Marlowe | Charles Dickens | Oscar Wilde
literature | Who wrote the novel "Don Quixote"? | Miguel de Cervantes | Lope de Vega | Gabriel García Márquez | Dante Alighieri
literature | Who wrote "Pride and Prejudice"? | Jane Austen | Emily Brontë | George Eliot | Virginia Woolf
literature | In which novel does Captain Ahab hunt a white whale? | Moby-Dick | Robinson Crusoe | Treasure Island | Lord Jim
literature | Which poem by Homer tells of a hero's long journey home from Troy? | Odyssey | Iliad | Aeneid | Beowulf
literature | Who created the detective Sherlock Holmes? | Arthur Conan Doyle | Agatha Christie | Edgar Allan Poe | Raymond Chandler
literature | Who wrote "War and Peace"? | Leo Tolstoy | Fyodor Dostoevsky | Anton Chekhov | Ivan Turgenev
literature | Which Italian poet wrote the "Divine Comedy"? | Dante Alighieri | Petrarch | Boccaccio | Virgil
literature | Who wrote the novel "Frankenstein"? | Mary Shelley | Bram Stoker | H. G. Wells | Jules Verne
literature | How many lines does a sonnet have? | 14 | 10 | 12 | 20
literature | In George Orwell's "Animal Farm", which animals take over the farm? | Pigs | Horses | Sheep | Dogs
literature | A haiku traditionally has how many lines? | Three | Four | Five | Seven
arts | Who painted the Mona Lisa? | Leonardo da Vinci | Michelangelo | Raphael | Titian
arts | Who painted the ceiling of the Sistine Chapel? | Michelangelo | Caravaggio | Botticelli | Donatello
arts | Which painter cut off part of his own ear? | Vincent van Gogh | Paul Gauguin | Claude Monet | Paul Cézanne
arts | Which composer went on writing music after becoming deaf, including his Ninth Symphony? | Ludwig van Beethoven | Wolfgang Amadeus Mozart | Johann Sebastian Bach | Franz Schubert
arts | How many strings does a violin have? | Four | Five | Six | Eight
arts | How many keys does a standard modern piano have? | 88 | 76 | 64 | 100
arts | Which colour results from mixing blue and yellow paint? | Green | Purple | Orange | Brown
arts | Which Spanish artist painted "Guernica"? | Pablo Picasso | Salvador Dalí | Joan Miró | Francisco Goya
arts | "The Four Seasons" is a set of concertos by which composer? | Antonio Vivaldi | Joseph Haydn | Giuseppe Verdi | Georg Friedrich Händel
arts | In music, what does "forte" mean? | Loud | Fast | Slow | Soft
arts | Which art is practised in origami? | Folding paper | Arranging flowers | Writing letters beautifully | Growing small trees
arts | Which of these instruments belongs to the woodwind family? | Clarinet | Trumpet | Cello | Timpani
language | Which language has the most native speakers in Brazil? | Portuguese | Spanish | English | Italian
language | What is a word that means the opposite of another word called? | Antonym | Synonym | Homonym | Acronym
language | In English grammar, which of these words is an adverb? | Quickly | Quick | Quickness | Quicken
language | From which language does the English word "kindergarten" come? | German | French | Dutch | Russian
language | Which alphabet is used to write Russian? | Cyrillic | Greek | Latin | Arabic
language | Which letter comes directly after Q in the English alphabet? | R | P | S | O
language | What is the plural of the English word "mouse" (the animal)? | Mice | Mouses | Mousen | Meese
language | What does the Latin phrase "carpe diem" mean? | Seize the day | Time flies | Know yourself | I came, I saw
language | What is a word that reads the same forwards and backwards called? | Palindrome | Anagram | Pangram | Oxymoron
language | Hebrew and Arabic are written in which direction? | Right to left | Left to right | Top to bottom | Bottom to top
everyday | How many days are there in a leap year? | 366 | 365 | 364 | 367
everyday | How many minutes are there in a full day? | 1,440 | 1,200 | 3,600 | 2,400
everyday | How many sides does a hexagon have? | Six | Five | Seven | Eight
everyday | Which month has the fewest days? | February | April | June | November
everyday | What do bees collect from flowers to make honey? | Nectar | Sap | Dew | Bark
everyday | From which plant is chocolate made? | Cacao | Coffee | Vanilla | Coconut
everyday | What is the main ingredient of bread? | Flour | Sugar | Butter | Milk
everyday | Which direction does a compass needle point to? | North | East | South-west | Down
everyday | Which tool is used to measure temperature? | Thermometer | Barometer | Hygrometer | Speedometer
everyday | What is sushi traditionally served with as its starch? | Rice | Potatoes | Noodles | Bread
everyday | How many zeros does one million written in digits have? | Six | Five | Seven | Nine
everyday | Hummus is made mainly from which ingredient? | Chickpeas | Lentils | Aubergines | Rice
everyday | What is the Roman numeral for fifty? | L | C | X | D
everyday | Which of these is a prime number? | 13 | 15 | 21 | 27
everyday | How many grams are there in two and a half kilograms? | 2,500 | 250 | 25,000 | 2,050
sport | How many players of one team are on the field in association football? | 11 | 9 | 10 | 12
sport | In which sport is the term "love" used for a score of zero? | Tennis | Golf | Cricket | Boxing
sport | How long is a marathon? | 42.195 kilometres | 21.0975 kilometres | 40 kilometres | 50 kilometres
sport | Which piece in chess can jump over other pieces? | Knight | Bishop | Rook | Queen
sport | How many rings are on the Olympic flag? | Five | Four | Six | Seven
sport | In which city were the first modern Olympic Games held in 1896? | Athens | Paris | London | Stockholm
sport | In which sport would you perform a slam dunk? | Basketball | Volleyball | Handball | Water polo
sport | How many squares are on a chessboard? | 64 | 48 | 81 | 100
sport | In golf, what is one stroke under par on a hole called? | Birdie | Eagle | Bogey | Albatross
sport | Judo comes from which country? | Japan | China | South Korea | Thailand
society | What is money that a bank charges for a loan called? | Interest | Dividend | Salary | Deposit
society | What does a rise of the general price level over time mean? | Inflation | Recession | Taxation | Subsidy
society | Where is the headquarters of the United Nations? | New York | Geneva | Brussels | Vienna
society | Which currency is used in Japan? | Yen | Won | Yuan | Baht
society | Which branch of government makes laws? | Legislature | Judiciary | Executive | Army
society | What does the abbreviation "www" in a web address stand for? | World Wide Web | World Web Wire | Wide Web Window | Web Without Wires
society | How many bits are in one byte? | Eight | Four | Ten | Sixteen
society | Which key is the base of the decimal number system? | Ten | Two | Eight | Sixteen
society | In which holy book are the five books of the Torah found as the first part? | Bible | Quran | Vedas | Tripitaka
society | The Taj Mahal was built as what? | Tomb | Palace | Fortress | Temple of learning
`
