/** Authored questions on everyday, laboratory and digital safety (CC0). One a line: topic | question | right answer | three wrong ones. */
export const SAFETY_QUESTIONS = `
fire | A pan of oil is burning on the stove. What should you do first? | Turn off the heat and cover the pan with a lid | Pour water on it | Carry it outside | Fan the flames
fire | What should you do when your clothes catch fire? | Stop, drop and roll | Run for help | Wave your arms | Take a deep breath
fire | How should you leave a room filled with smoke? | Stay low, close to the floor | Stand upright and run | Use the lift | Open all windows first
fire | Why should a lift not be used during a fire? | It may stop between floors | It is too slow | It makes smoke | It uses too much oxygen
fire | Which detector warns of a colourless, odourless gas from faulty heaters? | Carbon monoxide detector | Metal detector | Motion detector | Water detector
fire | How often should a household smoke alarm be tested? | About once a month | Every ten years | Only after a fire | Never
fire | Which fire extinguisher is suitable for burning electrical equipment? | Carbon dioxide | Water | Foam with water | Wet cloth
electricity | What should you do before changing a light bulb? | Switch off the power | Wet your hands | Touch the socket | Stand in water
electricity | Someone is in contact with a live wire. What should you do first? | Cut the power without touching the person | Pull the person away by hand | Pour water on the wire | Shake the person
electricity | What is the purpose of a fuse? | To break the circuit when the current is too high | To raise the voltage | To store electricity | To measure resistance
electricity | Where is it dangerous to use a hair dryer? | In the bathtub | In the bedroom | In front of a mirror | Next to a closed window
electricity | Where is the safest place during a thunderstorm among these? | Inside a closed car | Under a lone tree | On a hilltop | In a lake
electricity | What should be done with a cable whose insulation is damaged? | Unplug it and have it replaced | Wrap it in paper | Keep using it carefully | Put it under a carpet
first_aid | How should a minor burn be treated first? | Cool it under running lukewarm water | Put butter on it | Break the blisters | Cover it with cotton wool
first_aid | What should you do about a heavy bleeding from an arm? | Press firmly on the wound | Wash it for ten minutes | Let it bleed freely | Give the person a drink of alcohol
first_aid | In which position is an unconscious person who breathes normally placed? | Recovery position on the side | Sitting upright | Standing | Flat on the stomach with the head down
first_aid | A person does not respond and does not breathe normally. After calling for help, what should you start? | Chest compressions | Massage of the legs | Giving water | Waiting for ten minutes
first_aid | What does an automated external defibrillator deliver? | An electric shock to the heart | Oxygen to the lungs | Insulin to the blood | Cold air to the skin
first_aid | Someone is choking and cannot cough or speak. What helps? | Back blows and abdominal thrusts | A glass of water | Lying down flat | Eating bread
first_aid | What should you do with a nosebleed? | Lean forward and pinch the nose | Tilt the head back | Lie down flat | Blow the nose hard
first_aid | Drooping of one side of the face and slurred speech are signs of what? | Stroke | Sunburn | Cold | Broken leg
first_aid | What should you do if a person has swallowed a poisonous cleaning product? | Call poison control or emergency services | Make the person vomit at once | Give a large meal | Wait and see
medicine | Why should antibiotics be taken only as prescribed? | To avoid resistant bacteria | To save sugar | To sleep longer | To improve their taste
medicine | Where should medicines be kept at home? | Out of reach of children | On the kitchen table | In the toy box | On the window sill in the sun
medicine | What should you do with medicine past its expiry date? | Return it to a pharmacy for disposal | Take a double dose | Give it to a neighbour | Mix it with fresh pills
medicine | Alcohol together with sleeping pills is dangerous because it can do what? | Slow down breathing | Cause sunburn | Sharpen eyesight | Raise body height
chemicals | Which two household products must never be mixed because they give off toxic chloramine gas? | Bleach and ammonia | Salt and water | Sugar and vinegar | Flour and oil
chemicals | How should concentrated acid be diluted? | Add the acid slowly to water | Add water quickly to the acid | Heat the acid first | Mix it with a base in a closed bottle
chemicals | What should you do if a chemical splashes into your eyes? | Rinse with plenty of water for many minutes | Rub the eyes | Close them and wait | Use perfume
chemicals | What does a pictogram with a skull and crossbones mean? | Toxic | Flammable | Recyclable | Radioactive
chemicals | What does a pictogram with a flame mean? | Flammable | Corrosive | Explosive under water | Harmless
chemicals | Which equipment protects your eyes in a laboratory? | Safety goggles | Ear plugs | Sun hat | Rubber boots
chemicals | Why should food not be eaten in a chemistry laboratory? | It may be contaminated | It makes crumbs | It gets cold | It is too noisy
chemicals | Where should an experiment with harmful vapours be carried out? | In a fume hood | In a cupboard | In a closed office | In a cellar without windows
digital | What is the best protection of an account besides a strong password? | Two-factor authentication | A short user name | A bright screen | A second keyboard
digital | What is an email called that pretends to come from your bank to steal your password? | Phishing | Streaming | Caching | Indexing
digital | Which of these is the strongest password? | A long random phrase used for one site | Your birth date | The word "password" | Your pet's name
digital | Why should the same password not be used on several sites? | One leak opens all accounts | It slows down the browser | It uses more memory | Sites forbid the same letters
digital | What should you do when an unexpected message asks you to open an attachment urgently? | Check with the sender through another channel | Open it at once | Forward it to everyone | Reply with your password
digital | What is software that encrypts your files and demands money called? | Ransomware | Firmware | Shareware | Middleware
digital | What protects best against the loss of files? | Regular backups | A larger screen | A faster network | Fewer folders
digital | Why should software updates be installed soon? | They close security holes | They make the computer heavier | They delete old photos | They change the keyboard
digital | What does the padlock beside a web address say? | The connection is encrypted | The owner is honest | The page has no mistakes | The site is free of charge
digital | A caller says he is from technical support and asks for remote access to your computer. What should you do? | Hang up | Give him access | Tell him your password | Pay him in gift cards
digital | What should you do before selling an old telephone? | Erase all personal data | Charge it fully | Clean the screen only | Write the PIN on it
road | Which side of the body should children wear reflectors on when walking in the dark? | All sides that drivers may see | None | Only under the coat | Only inside the bag
road | What protects a cyclist's head in a fall? | A helmet | A cap | Headphones | Sunglasses
road | Why is using a telephone while driving dangerous? | It takes attention off the road | It drains the car battery | It heats the engine | It loosens the seat belt
road | How does the braking distance change when speed doubles? | It becomes about four times as long | It stays the same | It doubles exactly | It halves
road | Where should a baby seat facing backwards not be placed? | In front of an active airbag | On the back seat | Behind the driver | In the middle of the back row
home | At which temperature range do bacteria in food multiply fastest? | Between about 5 and 60 degrees Celsius | Below minus 18 degrees Celsius | Above 100 degrees Celsius | Exactly at 0 degrees Celsius
home | What should be done with a cutting board after cutting raw chicken? | Wash it with hot water and soap | Use it for salad at once | Wipe it with a dry cloth | Put it back in the drawer
home | How should a heavy box be lifted? | With bent knees and a straight back | With straight legs and a bent back | With one hand | With a quick twist
home | How should a ladder be set up? | On firm, level ground | On a chair | On a wet table | Against a closed door that may open
home | What should you do when you smell gas at home? | Open windows and avoid any spark | Light a match to see | Switch on all lights | Go to sleep
water | What should you do if you are caught in a rip current? | Swim parallel to the shore | Swim straight against it | Dive down | Shout and stop moving
water | What should be worn by everyone on a small boat? | A life jacket | A raincoat | Heavy boots | A backpack
water | Why should you never dive into water of unknown depth? | You may hit the bottom | The water may be salty | You may scare fish | The water may be warm
work | What must be worn on a building site to protect the head? | A hard hat | A woollen cap | A hood | A headscarf
work | What protects hearing next to loud machines? | Ear defenders | Gloves | A face mask | Goggles
`
