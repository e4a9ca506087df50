"""Facts of the world: capitals, elements, young animals, what things are for, what people do."""
from common import Item, fill_pools

CAPITALS = """
Kenya:Nairobi|Uganda:Kampala|Tanzania:Dodoma|Rwanda:Kigali|Ethiopia:Addis Ababa|Eritrea:Asmara|Somalia:Mogadishu|Sudan:Khartoum
South Sudan:Juba|Egypt:Cairo|Libya:Tripoli|Tunisia:Tunis|Algeria:Algiers|Morocco:Rabat|Mauritania:Nouakchott|Mali:Bamako|Niger:Niamey
Chad:N'Djamena|Senegal:Dakar|Gambia:Banjul|Guinea:Conakry|Sierra Leone:Freetown|Liberia:Monrovia|Ivory Coast:Yamoussoukro|Ghana:Accra
Togo:Lomé|Benin:Porto-Novo|Burkina Faso:Ouagadougou|Nigeria:Abuja|Cameroon:Yaoundé|Gabon:Libreville|Angola:Luanda|Zambia:Lusaka
Malawi:Lilongwe|Mozambique:Maputo|Zimbabwe:Harare|Botswana:Gaborone|Namibia:Windhoek|Lesotho:Maseru|Madagascar:Antananarivo
Mauritius:Port Louis|Cape Verde:Praia|Seychelles:Victoria|France:Paris|Germany:Berlin|Spain:Madrid|Portugal:Lisbon|Italy:Rome
Greece:Athens|Austria:Vienna|Switzerland:Bern|Belgium:Brussels|Denmark:Copenhagen|Sweden:Stockholm|Norway:Oslo|Finland:Helsinki
Iceland:Reykjavík|Ireland:Dublin|Poland:Warsaw|Slovakia:Bratislava|Hungary:Budapest|Romania:Bucharest|Bulgaria:Sofia|Serbia:Belgrade
Croatia:Zagreb|Slovenia:Ljubljana|Albania:Tirana|Ukraine:Kyiv|Belarus:Minsk|Lithuania:Vilnius|Latvia:Riga|Estonia:Tallinn|Malta:Valletta
Cyprus:Nicosia|Georgia:Tbilisi|Armenia:Yerevan|Azerbaijan:Baku|Russia:Moscow|Turkey:Ankara|North Macedonia:Skopje|Montenegro:Podgorica
Japan:Tokyo|China:Beijing|India:New Delhi|Pakistan:Islamabad|Bangladesh:Dhaka|Nepal:Kathmandu|Bhutan:Thimphu|Thailand:Bangkok
Vietnam:Hanoi|Laos:Vientiane|Cambodia:Phnom Penh|Malaysia:Kuala Lumpur|Mongolia:Ulaanbaatar|South Korea:Seoul|North Korea:Pyongyang
Iran:Tehran|Iraq:Baghdad|Syria:Damascus|Jordan:Amman|Lebanon:Beirut|Saudi Arabia:Riyadh|Oman:Muscat|Qatar:Doha|Kazakhstan:Astana
Uzbekistan:Tashkent|Kyrgyzstan:Bishkek|Tajikistan:Dushanbe|Turkmenistan:Ashgabat|Afghanistan:Kabul|Canada:Ottawa|Cuba:Havana
Jamaica:Kingston|Haiti:Port-au-Prince|Honduras:Tegucigalpa|Nicaragua:Managua|Costa Rica:San José|Colombia:Bogotá|Venezuela:Caracas
Ecuador:Quito|Peru:Lima|Chile:Santiago|Argentina:Buenos Aires|Uruguay:Montevideo|Paraguay:Asunción|Brazil:Brasília|Guyana:Georgetown
Suriname:Paramaribo|Barbados:Bridgetown|Belize:Belmopan|Australia:Canberra|New Zealand:Wellington|Fiji:Suva|Papua New Guinea:Port Moresby
Samoa:Apia|Vanuatu:Port Vila
"""
ELEMENTS = """
H:hydrogen|He:helium|Li:lithium|C:carbon|N:nitrogen|O:oxygen|F:fluorine|Ne:neon|Na:sodium|Mg:magnesium|Al:aluminium|Si:silicon
P:phosphorus|S:sulfur|Cl:chlorine|K:potassium|Ca:calcium|Ti:titanium|Cr:chromium|Fe:iron|Ni:nickel|Cu:copper|Zn:zinc|Ag:silver|Sn:tin
I:iodine|W:tungsten|Pt:platinum|Au:gold|Hg:mercury|Pb:lead|U:uranium
"""
YOUNG = """
cat:a kitten|dog:a puppy|sheep:a lamb|goat:a kid|horse:a foal|pig:a piglet|hen:a chick|duck:a duckling|goose:a gosling|swan:a cygnet
lion:a cub|kangaroo:a joey|frog:a tadpole|butterfly:a caterpillar|owl:an owlet|eagle:an eaglet|deer:a fawn|cow:a calf|hare:a leveret
"""
PURPOSES = """
knife:cutting|broom:sweeping the floor|umbrella:keeping dry in the rain|compass:finding which way is north|ladder:climbing up to high places
needle:sewing cloth|pen:writing|cup:drinking|bed:sleeping|key:opening a lock|clock:telling the time|lamp:giving light at night
hammer:driving nails into wood|bucket:carrying water|oven:baking bread and cakes|fridge:keeping food cold|scale:measuring how heavy a thing is
ruler:measuring how long a thing is|thermometer:measuring how hot or cold a thing is|telescope:looking at the stars and planets
microscope:looking at very small things|net:catching fish|plough:turning the soil before planting|comb:tidying hair|soap:washing
towel:drying the body|stamp:paying for a letter|map:finding the way|bell:calling people|drum:making music|anchor:holding a ship in place
bridge:crossing a river|dam:holding back water|fan:moving air on a hot day|glue:sticking things together|candle:giving light without electricity
saw:cutting wood into pieces|spade:digging|tent:sleeping outdoors|wallet:holding money and cards
"""
JOBS = """
baker:bakes bread|farmer:grows crops and keeps animals|teacher:helps pupils to learn|nurse:cares for sick people|pilot:flies aeroplanes
tailor:sews clothes|carpenter:makes things from wood|mason:builds walls of stone and brick|fisher:catches fish|judge:decides cases in a court of law
plumber:mends water pipes|butcher:cuts and sells meat|dentist:looks after teeth|vet:treats sick animals|potter:makes pots from clay
author:writes books|sailor:works on a ship|librarian:looks after the books in a library|astronomer:studies the stars and planets
blacksmith:shapes hot iron|beekeeper:keeps bees for their honey|cook:prepares meals|driver:drives a bus or a lorry|singer:sings songs
"""


def pairs(table: str) -> list[tuple[str, str]]:
    return [tuple(entry.split(":")) for line in table.split("\n") for entry in line.split("|") if entry]


def a(noun: str) -> str:
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def items() -> list[Item]:
    made = []
    for country, city in pairs(CAPITALS):
        made.append(Item("capital", city, [
            f"The capital of {country} is {city}.", f"{city} is the capital of {country}.", f"Maps mark {city} as the capital of {country}.",
            f"People who visit {country} often begin in its capital, {city}."],
            [f"Which city is the capital of {country}?", f"Name the capital city of {country}."], f"What is the capital of {country}?"))
    for symbol, name in pairs(ELEMENTS):
        made.append(Item("element", name, [
            f"The chemical symbol of {name} is {symbol}.", f"{symbol} is the symbol for {name}.", f"Chemists write {symbol} for {name}."],
            [f"What does the chemical symbol {symbol} stand for?", f"{symbol} is the symbol of which element?"],
            f"Which element has the symbol {symbol}?"))
    for animal, young in pairs(YOUNG):
        made.append(Item("young", young, [
            f"A young {animal} is called {young}.", f"The young of {a(animal)} is {young}.", f"{young.capitalize()} grows up to be {a(animal)}."],
            [f"What do we call the young of {a(animal)}?", f"Which word names a young {animal}?"], f"What is a young {animal} called?"))
    for thing, use in pairs(PURPOSES):
        made.append(Item("purpose", use, [
            f"{a(thing).capitalize()} is used for {use}.", f"People use {a(thing)} for {use}.", f"For {use}, you need {a(thing)}."],
            [f"What do people use {a(thing)} for?", f"Why would you need {a(thing)}?"], f"What is {a(thing)} used for?"))
    for job, work in pairs(JOBS):
        made.append(Item("job", work, [
            f"{a(job).capitalize()} {work}.", f"{a(job).capitalize()} is a person who {work}.", f"Someone who {work} is {a(job)}."],
            [f"What is the work of {a(job)}?", f"If someone is {a(job)}, what does this person do?"], f"What does {a(job)} do?"))
    # "soap", "glue" and the like have no article
    for item in made:
        for mass in ("soap", "glue"):
            fix = lambda text: text.replace(f"A {mass} ", f"{mass.capitalize()} ").replace(f"a {mass}", mass)
            item.statements, item.questions, item.exam = [*map(fix, item.statements)], [*map(fix, item.questions)], fix(item.exam)
    return fill_pools(made)
