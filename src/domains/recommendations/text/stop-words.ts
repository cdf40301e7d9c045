import { foldCase } from './folded.ts'

const words = (list: string) => new Set(list.split(/\s+/).filter(Boolean).map(foldCase))

/** Stop words by language, which are ignored when texts are compared. Single letters are remains of words with apostrophes. */
export const RECOMMENDATION_STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(`
    a about above across after again against all also although always am among an and another any are as at be because been before being
    below between both but by can cannot could d did do does doing don down during each either else ever every few for from further had
    has have having he her here hers herself him himself his how however i if in into is it its itself just let ll m may me might more
    most much must my myself neither no nor not now of off on once only or other our ours ourselves out over own per re s same shall she
    should since so some still such t than that the their theirs them themselves then there these they this those though through thus to
    too under until up upon us ve very via was we were what when where whether which while who whom whose why will with within without
    would yet you your yours yourself yourselves`),
  de: words(`
    ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bereits bin bis
    bist da dabei dadurch dafür daher damit dann daran darauf daraus darin das dass davon dazu dein deine deinem deinen deiner dem den
    denen denn der deren des dessen deshalb die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines
    einige einmal er es etwa etwas euch euer eure eurem euren eurer für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich
    ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins ist ja jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes
    jetzt kann kein keine keinem keinen keiner können könnte man manche manchem manchen mancher mehr mein meine meinem meinen meiner mich
    mir mit muss musste nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie sind so
    solche solchem solchen solcher soll sollte sondern sowie u über um und uns unser unsere unserem unseren unserer unter viel vom von vor
    während war waren warst was weg weil weiter welche welchem welchen welcher wenn wer werde werden wie wieder will wir wird wirst wo
    wollen wollte würde würden z zu zum zur zwar zwischen`),
}
