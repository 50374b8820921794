/** Authored questions of school science (CC0). One a line: topic | question | right answer | three wrong ones. */
export const SCIENCE_QUESTIONS = `
physics | What is the SI unit of force? | Newton | Joule | Watt | Pascal
physics | What is the SI unit of electric resistance? | Ohm | Volt | Ampere | Farad
physics | What does a voltmeter measure? | Potential difference | Current | Resistance | Power
physics | Which force keeps planets in orbit around the Sun? | Gravity | Friction | Magnetism | Buoyancy
physics | At which speed does light travel in a vacuum, roughly? | 300,000 kilometres per second | 300 kilometres per second | 30,000 kilometres per second | 3,000,000 kilometres per second
physics | Sound cannot travel through which of these? | A vacuum | Water | Steel | Air
physics | A body on which no net force acts does what? | Keeps its velocity | Slows down | Speeds up | Moves in a circle
physics | What is the energy of motion called? | Kinetic energy | Potential energy | Chemical energy | Nuclear energy
physics | What happens to the wavelength of a wave when its frequency doubles at constant speed? | It halves | It doubles | It stays the same | It quadruples
physics | Which colour of visible light has the longest wavelength? | Red | Violet | Green | Blue
physics | What is the bending of light when it passes from air into water called? | Refraction | Reflection | Diffraction | Dispersion
physics | Which type of mirror is used to gather parallel light in one point? | Concave | Convex | Plane | Frosted
physics | What is the momentum of a body? | Mass times velocity | Mass times acceleration | Force times distance | Half of mass times velocity
physics | A 2 kg mass is accelerated at 3 metres per second squared. Which net force acts on it? | 6 newtons | 1.5 newtons | 5 newtons | 9 newtons
physics | Who stated the three laws of motion in the "Principia"? | Isaac Newton | Galileo Galilei | Albert Einstein | Johannes Kepler
physics | Absolute zero corresponds to which temperature in degrees Celsius? | −273.15 | −100 | 0 | −459.67
physics | Heat flows by itself in which direction? | From warmer to colder bodies | From colder to warmer bodies | From larger to smaller bodies | From solid to liquid bodies
physics | Two resistors of 4 ohms each are connected in series. What is the total resistance? | 8 ohms | 2 ohms | 4 ohms | 16 ohms
physics | What is the power of a device that converts 100 joules in 5 seconds? | 20 watts | 500 watts | 95 watts | 105 watts
physics | Which particle carries a negative electric charge? | Electron | Proton | Neutron | Photon
physics | Ice floats on water because ice has a lower what? | Density | Temperature | Mass | Viscosity
physics | What is the unit of frequency? | Hertz | Decibel | Lumen | Tesla
physics | Which instrument splits white light into a spectrum of colours? | Prism | Periscope | Barometer | Stethoscope
physics | Which kind of radiation consists of helium nuclei? | Alpha radiation | Beta radiation | Gamma radiation | X-rays
physics | What is pressure? | Force per area | Force times area | Mass per volume | Energy per time
chemistry | What is the chemical symbol of gold? | Au | Ag | Gd | Go
chemistry | What is the chemical symbol of sodium? | Na | So | Sd | S
chemistry | What is the chemical formula of water? | H2O | HO2 | H2O2 | OH
chemistry | Which gas makes up most of the Earth's atmosphere? | Nitrogen | Oxygen | Carbon dioxide | Argon
chemistry | What is the pH of pure water at 25 degrees Celsius? | 7 | 0 | 1 | 14
chemistry | Which element has the atomic number 1? | Hydrogen | Helium | Oxygen | Carbon
chemistry | Which element has the symbol Fe? | Iron | Fluorine | Francium | Lead
chemistry | Table salt consists mainly of which compound? | Sodium chloride | Potassium nitrate | Calcium carbonate | Sodium hydroxide
chemistry | Which particles are found in the nucleus of an atom? | Protons and neutrons | Protons and electrons | Electrons and neutrons | Electrons and photons
chemistry | What is the change from liquid to gas at the surface of a liquid called? | Evaporation | Condensation | Sublimation | Melting
chemistry | What is the direct change from solid to gas called? | Sublimation | Condensation | Evaporation | Deposition
chemistry | Diamond and graphite are both forms of which element? | Carbon | Silicon | Sulfur | Phosphorus
chemistry | An acid and a base react to form water and what? | A salt | An alcohol | A metal | An oxide
chemistry | Which of these is a noble gas? | Neon | Nitrogen | Chlorine | Hydrogen
chemistry | What is a substance that speeds up a reaction without being used up called? | Catalyst | Solvent | Reagent | Isotope
chemistry | Atoms of one element with different numbers of neutrons are called what? | Isotopes | Ions | Isomers | Polymers
chemistry | Rusting of iron is a reaction with water and which gas? | Oxygen | Nitrogen | Hydrogen | Helium
chemistry | Which gas do plants take in for photosynthesis? | Carbon dioxide | Oxygen | Nitrogen | Methane
chemistry | Blue litmus paper turns which colour in an acid? | Red | Green | Yellow | Black
chemistry | Which metal is liquid at room temperature? | Mercury | Zinc | Tin | Aluminium
chemistry | Bronze is an alloy of copper and mainly which other metal? | Tin | Zinc | Iron | Silver
chemistry | Who arranged the elements in the periodic table of 1869? | Dmitri Mendeleev | Marie Curie | Antoine Lavoisier | Niels Bohr
chemistry | In a covalent bond, atoms do what? | Share electrons | Transfer protons | Exchange neutrons | Merge their nuclei
chemistry | What is the main component of natural gas? | Methane | Propane | Ethanol | Carbon monoxide
chemistry | Which substance is an organic compound? | Glucose | Table salt | Water | Quartz
biology | Which part of the cell contains most of its DNA in animals? | Nucleus | Ribosome | Cell membrane | Vacuole
biology | Which organelle releases most of a cell's usable energy? | Mitochondrion | Chloroplast | Golgi apparatus | Lysosome
biology | In which organelle does photosynthesis take place? | Chloroplast | Mitochondrion | Nucleus | Ribosome
biology | How many chromosomes does a typical human body cell have? | 46 | 23 | 44 | 48
biology | Which blood cells carry oxygen? | Red blood cells | White blood cells | Platelets | Plasma cells
biology | Which organ pumps blood through the human body? | Heart | Liver | Lung | Kidney
biology | Which organ filters the blood and produces urine? | Kidney | Stomach | Spleen | Pancreas
biology | Insulin is produced in which organ? | Pancreas | Liver | Thyroid gland | Gall bladder
biology | Which is the largest organ of the human body? | Skin | Liver | Brain | Lung
biology | Who proposed evolution by natural selection in "On the Origin of Species"? | Charles Darwin | Gregor Mendel | Louis Pasteur | Carl Linnaeus
biology | Gregor Mendel discovered rules of inheritance with which plant? | Peas | Roses | Maize | Wheat
biology | Which group of animals do frogs belong to? | Amphibians | Reptiles | Mammals | Fish
biology | Which of these animals is a mammal? | Dolphin | Shark | Penguin | Crocodile
biology | How many legs does an insect have? | Six | Four | Eight | Ten
biology | Spiders belong to which group? | Arachnids | Insects | Crustaceans | Molluscs
biology | Which vitamin does human skin produce in sunlight? | Vitamin D | Vitamin C | Vitamin A | Vitamin B12
biology | A lack of vitamin C leads to which disease? | Scurvy | Rickets | Malaria | Anthrax
biology | Antibiotics act against which of these? | Bacteria | Viruses | Pollen | Vitamins
biology | Which sugar unit is found in DNA? | Deoxyribose | Fructose | Lactose | Sucrose
biology | In DNA, adenine pairs with which base? | Thymine | Cytosine | Guanine | Uracil
biology | Animals that eat only plants are called what? | Herbivores | Carnivores | Omnivores | Parasites
biology | What is the green pigment of leaves called? | Chlorophyll | Haemoglobin | Carotene | Melanin
biology | Which part of a plant usually takes up water from the soil? | Root | Leaf | Flower | Stem
biology | Which gas makes up a larger share of the air we breathe out than of the air we breathe in? | Carbon dioxide | Oxygen | Argon | Helium
biology | Malaria is transmitted to humans by which animal? | Mosquito | Tick | Flea | Rat
biology | Which part of the eye regulates how much light enters? | Iris | Retina | Optic nerve | Cornea
earth | What is molten rock below the Earth's surface called? | Magma | Lava | Basalt | Granite
earth | Which layer of the Earth lies directly below the crust? | Mantle | Inner core | Outer core | Stratosphere
earth | What causes the seasons on Earth? | The tilt of the Earth's axis | The changing distance to the Sun | The phases of the Moon | The rotation of the Sun
earth | What mainly causes the ocean tides? | The gravity of the Moon | The rotation of the wind | The heat of the Sun | The salt in the sea
earth | Earthquakes are measured with which instrument? | Seismograph | Barometer | Anemometer | Hygrometer
earth | Marble is formed from which rock? | Limestone | Granite | Basalt | Sandstone
earth | What is the hardest natural mineral on the Mohs scale? | Diamond | Quartz | Topaz | Talc
earth | Which layer of the atmosphere do we live in? | Troposphere | Stratosphere | Mesosphere | Thermosphere
earth | Which gas in the stratosphere absorbs ultraviolet light? | Ozone | Methane | Argon | Ammonia
earth | What does a barometer measure? | Air pressure | Humidity | Wind speed | Rainfall
earth | Rock that forms from layers of sand and mud is called what? | Sedimentary | Igneous | Metamorphic | Volcanic
earth | What is the slow movement of the Earth's large crustal pieces called? | Plate tectonics | Erosion | Sedimentation | Convection rain
earth | About what share of the Earth's surface is covered by water? | 71 per cent | 31 per cent | 51 per cent | 91 per cent
astronomy | Which planet is closest to the Sun? | Mercury | Venus | Earth | Mars
astronomy | Which is the largest planet of the solar system? | Jupiter | Saturn | Neptune | Earth
astronomy | Which planet is known as the red planet? | Mars | Venus | Jupiter | Uranus
astronomy | What is the name of our galaxy? | Milky Way | Andromeda | Sombrero | Whirlpool
astronomy | What kind of object is the Sun? | Star | Planet | Comet | Asteroid
astronomy | How long does the Earth take to go round the Sun once? | About 365 days | About 30 days | About 24 hours | About 12 years
astronomy | In a solar eclipse, what stands between the Sun and the Earth? | The Moon | Venus | Mercury | A comet
astronomy | What is a light year a unit of? | Distance | Time | Brightness | Speed
astronomy | Which process releases the energy of the Sun? | Nuclear fusion | Nuclear fission | Combustion | Radioactive decay
astronomy | Between which two planets does the main asteroid belt lie? | Mars and Jupiter | Earth and Mars | Jupiter and Saturn | Venus and Earth
astronomy | Who first saw four moons of Jupiter through a telescope in 1610? | Galileo Galilei | Nicolaus Copernicus | Tycho Brahe | Edwin Hubble
`
