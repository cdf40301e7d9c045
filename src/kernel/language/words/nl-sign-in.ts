export const dutchSignInTexts = {
  'signIn.signedInAs': 'Ingelogd als {email}',
  'signIn.heading': 'Inloggen',
  'signIn.text': 'We sturen u per e-mail een code waarmee u uw inschrijving voor {event} opent.',
  'signIn.errorSummary': 'Corrigeer het volgende:',
  'signIn.email': 'E-mailadres',
  'signIn.send': 'Stuur mij een code',
  'signIn.badEmail': 'Vul een geldig e-mailadres in, bijvoorbeeld naam@example.org.',
  'signIn.tooManyCodes':
    'Er zijn te veel codes aangevraagd. Gebruik de code uit de laatste e-mail, die 15 minuten geldig is, of probeer het over een uur opnieuw.',
  'signIn.noCookies':
    'Uw browser heeft een cookie geblokkeerd die deze pagina nodig heeft. Sta cookies voor deze site toe of open de pagina in een eigen venster en probeer het opnieuw.',
  'signIn.codeHeading': 'Vul uw code in',
  'signIn.codeText': 'We hebben een code van zes cijfers naar {email} gestuurd. De code is 15 minuten geldig.',
  'signIn.code': 'Code',
  'signIn.enter': 'Inloggen',
  'signIn.noMail': 'Geen e-mail ontvangen? Kijk in uw spammap.',
  'signIn.otherEmail': 'Ander adres gebruiken',
  'signIn.again': 'Nieuwe code sturen',
  'signIn.sixDigits': 'Vul de code van zes cijfers uit de e-mail in.',
  'signIn.wrongCode': {
    one: 'Deze code is niet juist. Gebruik de code uit de laatste e-mail. U hebt nog {count} poging.',
    other: 'Deze code is niet juist. Gebruik de code uit de laatste e-mail. U hebt nog {count} pogingen.',
  },
  'signIn.noAttemptsLeft':
    'Deze code is niet juist en u hebt geen pogingen meer. Vraag een nieuwe code aan of gebruik de link in de e-mail.',
  'signIn.expiredCode': 'Deze code is niet meer geldig. Vraag een nieuwe aan.',
  'signIn.linkText': 'U logt voor {event} in als {email}.',
  'signIn.expiredLink': 'De link is al gebruikt of verlopen. Vraag een nieuwe code aan.',
}
