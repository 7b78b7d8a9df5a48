// The words that most passwords consist of, in lower case and without the digits and symbols around them.

/** Common choices all over the world: technical terms, names, animals, sports, brands, love. */
const WORDS = `
password passwort passwd passw passphrase passcode passkey pass kennwort motdepasse mdp contrasena contrasenia clave
senha parola haslo heslo lozinka geslo wachtwoord losenord losen passord adgangskode salasana jelszo sifre parool parole
slaptazodis mypassword nopassword changeme changeit changethis pleasechange pleasechangeme changemenow changemeplease
replace replaceme default temp temporary secret secrets topsecret mysecret verysecret supersecret secure security
private confidential geheim geheimnis segreto secreto admin admins administrator administrador administrateur root toor
superuser supervisor sysadmin sysop operator manager master webmaster postmaster hostmaster owner user users username
myuser userid guest guests visitor anonymous nobody test tests tester testing testuser tested demo demouser sample
example foobar foo bar foobarbaz asdf qwer qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop qwerasdf qwerasdfzxcv
asdfgh asdfghjkl asdfjkl zxcvbn zxcvbnm qazwsx qazwsxedc wsxedc qweasd qweasdzxc poiuytrewq lkjhgfdsa mnbvcxz abc abcd
abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij login logon logmein letmein letmeinnow letmeinplease openup
opensesame sesame opendoor enter welcome welcomehome welcomeback willkommen bienvenue bienvenido benvenuto access
accessdenied granted system server service computer laptop internet network wireless router modem wifi office company
business work employee onboarding database oracle mysql postgres postgresql mongodb redis tomcat jenkins docker
kubernetes ubuntu debian linux windows microsoft apple google android iphone samsung nokia motorola sony intel amazon
facebook instagram twitter youtube netflix spotify linkedin whatsapp yahoo gmail hotmail outlook cisco dell lenovo
toshiba nintendo playstation xbox minecraft fortnite roblox pokemon pikachu charizard mario luigi zelda sonic tetris
starcraft warcraft warhammer diablo counterstrike callofduty halflife assassin starwars skywalker lukeskywalker
darthvader yoda jedi chewbacca millennium startrek enterprise spock picard matrix trinity neo morpheus terminator
predator batman superman spiderman ironman wolverine deadpool avengers captain captainamerica hulk thor joker catwoman
harrypotter hogwarts hermione gandalf frodo gollum hobbit legolas aragorn mordor rohan gondor potter dumbledore
voldemort naruto sasuke goku vegeta dragonball onepiece hellokitty mickey mickeymouse minnie donald donaldduck pluto
snoopy garfield scooby scoobydoo tweety bugsbunny simpson homer bart spongebob pooh winnie winniethepooh tigger barbie
cinderella tinkerbell love lover loves lovely loveme loveyou lovelove iloveyou iloveu iloveme iloveher ilovehim
iloveyousomuch iloveyouforever ilovemymom ilovemom ilovemyfamily ilovegod iloveyoubaby loveislove loverboy lovergirl
truelove mylove mylovelife amor teamo teamomucho miamor amore tiamo jetaime ichliebedich liebe liebling schatz schatzi
mon mylife forever always together happy happiness smile smiley sunshine sunflower sunset sunrise moonlight moon star
stars starlight heaven angel angels angelina beautiful beauty pretty princess prince queen king kings kingdom royal
crystal diamond diamonds golden gold silver platinum baby babygirl babyboy babe honey honeybee sweet sweetie sweetheart
sugar candy chocolate cookie cookies cupcake cherry peaches peanut banana apples orange lemon strawberry blueberry
coconut pineapple mango pepper ginger cinnamon vanilla butter butterfly cheese bacon pizza burger hamburger coffee
espresso tea beer vodka whiskey tequila guinness heineken corona budweiser pepsi cocacola coke monkey monkeys dragon
dragons tiger tigers lion lions panther panthers jaguar leopard cheetah wolf wolves fox bear bears panda koala eagle
eagles falcon falcons hawk hawks raven ravens phoenix penguin dolphin dolphins shark sharks whale turtle snake cobra
viper python spider scorpion horse horses pony unicorn bull bulls bulldog bulldogs rabbit bunny kitten kitty cat cats
dog dogs doggy puppy poodle hamster mouse elephant giraffe zebra buffalo beaver badger rooster chicken duck football
soccer baseball basketball hockey tennis volleyball rugby cricket golf golfer boxing wrestling karate ninja samurai
swimming surfing skater snowboard runner racing formula ferrari porsche mercedes bmw audi volkswagen toyota honda nissan
mustang corvette camaro chevy chevrolet ford dodge jeep harley harleydavidson yamaha suzuki kawasaki ducati lamborghini
bugatti yankees redsox dodgers giants cowboys packers steelers patriots lakers celtics chicago chelsea arsenal liverpool
manchester manutd manchesterunited mancity barcelona barca realmadrid juventus acmilan bayern bayernmunich borussia
schalke hsv celtic rangers everton tottenham newcastle flamengo corinthians palmeiras boca river champion champions
winner winners player gamer michael michelle jennifer jessica ashley amanda nicole daniel daniela david andrew anthony
joshua matthew justin jordan robert thomas charlie charles george william james john johnny johnson jonathan joseph
patrick richard steven stephen ryan brandon brian kevin jason eric christian christine christina christopher alexander
alexandra alexandre alexis alex sandra andrea angela anna anne annie antonio barbara benjamin brittany bailey buster
carlos carmen caroline catherine charlotte claudia danielle diana dominic elizabeth emily emma fernando florian
francisco frank gabriel gabriela hannah heather helena isabella isabelle jackson jasmine jasper julia julian justine
karina katie kimberly laura lauren leonardo lisa lorenzo louise lucas madison maggie marcus maria mariana marie marina
marlboro martin martina maxwell melissa miguel monica morgan nathan nicolas nicholas oliver olivia patricia pablo peter
philip rachel rafael raphael rebecca ricardo roberto ronaldo ronaldinho messi neymar beckham zidane samantha samuel
sarah scott sebastian sofia sophia sophie stefan stephanie sylvia taylor teresa tiffany tyler valentina vanessa veronica
victor victoria vincent vincenzo virginia wilson yvonne zachary london paris berlin munich hamburg vienna zurich madrid
lisbon rome milano napoli roma istanbul moscow warsaw prague budapest newyork losangeles california florida texas dallas
houston boston denver seattle hawaii mexico brasil brazil argentina colombia venezuela canada toronto montreal australia
sydney melbourne england ireland scotland germany deutschland france espana spain italia italy portugal polska russia
ukraine turkey turkiye india pakistan indonesia jakarta malaysia singapore philippines manila china beijing shanghai
japan tokyo korea vietnam thailand bangkok africa nigeria egypt spring summer autumn fall winter january february march
april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
today tomorrow birthday christmas halloween easter newyear holiday vacation freedom liberty america american usa patriot
victory peace hope faith grace jesus jesuschrist christ jesusislord godisgood god godbless blessed blessing allah
allahuakbar bismillah mohammed muhammad inshallah buddha krishna ganesh shiva ram lucifer devil demon satan hell
hellfire metallica slipknot ironmaiden nirvana slayer megadeth acdc ledzeppelin pinkfloyd beatles elvis madonna rihanna
beyonce shakira eminem tupac snoopdogg drake justinbieber onedirection bts blackpink twilight music guitar drummer piano
rockstar rocknroll hiphop techno trance disco dance dancer party rainbow flower flowers rose roses lily daisy jasmin
violet orchid garden forest mountain ocean beach island water fire firebird thunder lightning storm tornado hurricane
blizzard snow snowball snowman snowflake icecream ice midnight shadow shadows darkness dark black blackcat blackjack
white whitesox blue bluebird bluesky red redhead reddragon green greenday yellow purple pink pinky magic magician wizard
merlin witch vampire zombie ghost killer sniper soldier warrior knight gladiator spartan viking pirate pirates cowboy
indian gangster playboy hacker cracker phantom mystery nemesis destiny genesis galaxy universe cosmos planet jupiter
saturn mercury venus mars apollo athena zeus hercules achilles trojan olympus titan titanic rocket spaceman astronaut
discovery explorer adventure mission rambo rocky bond jamesbond sherlock watson casper bigdaddy bigboy bigdog biggie
lilwayne smokey bandit rusty lucky luckyme buddy max sparky scooter shorty sassy missy daddy mommy mother father mama
mamma papa brother sister family friends friend bestfriend bestfriends grandma grandpa children marriage wedding mywife
married single student students school highschool college university teacher professor doctor nurse police engineer
pilot captainjack sailor money dollar dollars million millionaire rich power powerful success future dream dreams
dreamer believe trustno trustnoone trustme nothing something anything everything whatever whoever nevermind never
idontknow dontknow idontcare fuck fucker fuckyou fuckoff fuckme fuckthis shit bullshit asshole bitch bastard bollocks
sexy sexygirl sexybitch sex pussy dick cock boobs tits porn hardcore horny lesbian naughty spanky stupid idiot loser
crazy fool cool coolio cooldude awesome amazing fantastic super superstar superb supreme ultimate perfect excellent
special number numberone theone onelove first secondary hello hellothere helloworld hola bonjour ciao hallo hi goodbye
goodmorning goodnight goodluck please pleasework thankyou thanks yes yesno none null undefined unknown blank empty
nopass notset nimda drowssap ytrewq monkeyboy biteme blahblah blah whatsup wazzup gogogo letsgo gameover godfather
corporate backup support helpdesk info contact marketing sales finance hr humanresources accounting payroll development
developer production staging release deploy build builds channel distribution taxiway mobile mobileapp application
internal
`;

/** The words as a set. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));
