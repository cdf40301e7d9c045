export const germanStopWords = `
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus außer bei beim bereits bin bis
bist bitte da dabei dadurch dafür dagegen daher damit danach dann dannach daran darauf daraus darf darin darüber darum das dass daß dazu
dein deine deinem deinen deiner deines dem den denen denn dennoch der deren des deshalb dessen desto die dies diese diesem diesen dieser
dieses dir doch dort du durch dürfen eben ein eine einem einen einer eines einig einige einigem einigen einiger einiges einmal er es etwa
etwas euch euer eure eurem euren eurer eures falls fast für gab gar gegen genau gerade gern gerne gewesen gibt habe haben hab hat hatte
hatten hätte hätten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem ins ist ja je jede jedem jeden
jeder jedes jedoch jemand jene jenem jenen jener jenes jetzt kann kannst kein keine keinem keinen keiner keines konnte konnten können
könnte könnten machen man manche manchem manchen mancher manches mehr mein meine meinem meinen meiner meines mich mir mit möchte muss
musste müssen müsste nach nachdem ne neben nein nicht nichts nie noch nun nur ob oben oder oft ohne schon sehr sei seid sein seine seinem
seinen seiner seines seit seitdem selber selbst sich sie sind so sobald sogar solch solche solchem solchen solcher solches soll sollen
sollte sollten sondern sonst soweit statt trotz über um und uns unser unsere unserem unseren unserer unseres unter viel viele vielem
vielen vielleicht vom von vor während wann war waren warst warum was weder weg wegen weil weiter weitere weiteren welche welchem welchen
welcher welches wem wen wenig wenige wenn wer werde werden wessen wie wieder will wir wird wirklich wo wohl wollen wollte worden wurde
wurden würde würden zu zum zur zwar zwischen
`
