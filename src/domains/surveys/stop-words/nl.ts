export const dutchStopWords = `
aan achter af al aldus alle alleen alles als alsof altijd ander andere anders been ben bent best bij bijna binnen boven buiten daar daarbij
daarin daarmee daarna daarnaast daarom daarop dan dat de den der des deze die dit doch doen doet door dus echt echter een één eens eerder eigen
eigenlijk elk elke en enige enkele er erg ergens erin erop ervan even ga gaan gaat geen geweest gewoon had hadden heb hebben hebt heeft heel
hem hen het hier hierbij hij hoe hun ieder iedere iedereen iemand iets ik in inderdaad is ja je jou jouw jullie kan kon konden kun kunnen kunt
laat later liever maar mag me meer meest men met mij mijn minder misschien moest moesten moet moeten mogen na naar naast nee net niemand niet
niets nog nogal nooit nu of om omdat ons onze ook op over pas per precies reeds samen sinds soms steeds te tegen ten ter terwijl tijdens toch
toen tot tussen u uit uw vaak van vanaf vanuit veel via volgens voor vooral voordat waar waarbij waarin waarom waarop wanneer want waren was
wat we weer wel welk welke werd werden wie wij wil willen word worden wordt zal ze zeer zei zelf zelfs zich zichzelf zij zijn zo zoals zodat
zonder zou zouden zowel zullen
`
