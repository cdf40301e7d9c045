export const germanSignInTexts = {
  'signIn.signedInAs': 'Eingeloggt als {email}',
  'signIn.heading': 'Einloggen',
  'signIn.text': 'Wir senden Ihnen per E-Mail einen Code, mit dem Sie Ihre Anmeldung für {event} öffnen.',
  'signIn.errorSummary': 'Bitte korrigieren Sie Folgendes:',
  'signIn.email': 'E-Mail-Adresse',
  'signIn.send': 'Code anfordern',
  'signIn.badEmail': 'Geben Sie eine gültige E-Mail-Adresse ein, zum Beispiel name@example.org.',
  'signIn.tooManyCodes':
    'Es wurden zu viele Codes angefordert. Verwenden Sie den Code aus der neuesten E-Mail, der 15 Minuten gültig ist, oder versuchen Sie es in einer Stunde erneut.',
  'signIn.noCookies':
    'Ihr Browser hat ein Cookie blockiert, das für diese Seite erforderlich ist. Erlauben Sie Cookies für diese Website oder öffnen Sie die Seite in einem eigenen Fenster und versuchen Sie es erneut.',
  'signIn.codeHeading': 'Code eingeben',
  'signIn.codeText': 'Wir haben einen sechsstelligen Code an {email} gesendet. Er ist 15 Minuten gültig.',
  'signIn.code': 'Code',
  'signIn.enter': 'Einloggen',
  'signIn.noMail': 'Keine E-Mail erhalten? Sehen Sie in Ihrem Spam-Ordner nach.',
  'signIn.otherEmail': 'Andere Adresse verwenden',
  'signIn.again': 'Neuen Code anfordern',
  'signIn.sixDigits': 'Geben Sie den sechsstelligen Code aus der E-Mail ein.',
  'signIn.wrongCode': {
    one: 'Dieser Code ist nicht richtig. Verwenden Sie den Code aus der neuesten E-Mail. Sie haben noch {count} Versuch.',
    other: 'Dieser Code ist nicht richtig. Verwenden Sie den Code aus der neuesten E-Mail. Sie haben noch {count} Versuche.',
  },
  'signIn.noAttemptsLeft':
    'Dieser Code ist nicht richtig, und Sie haben keinen weiteren Versuch. Fordern Sie einen neuen Code an oder verwenden Sie den Link in der E-Mail.',
  'signIn.expiredCode': 'Dieser Code ist nicht mehr gültig. Fordern Sie einen neuen an.',
  'signIn.linkText': 'Sie loggen sich als {email} für {event} ein.',
  'signIn.expiredLink': 'Der Link wurde bereits verwendet oder ist abgelaufen. Fordern Sie einen neuen Code an.',
}
