export const frenchSignInTexts = {
  'signIn.signedInAs': 'Connecté en tant que {email}',
  'signIn.heading': 'Connexion',
  'signIn.text': 'Nous vous enverrons par e-mail un code pour ouvrir votre inscription à {event}.',
  'signIn.errorSummary': 'Veuillez corriger les points suivants :',
  'signIn.email': 'E-mail',
  'signIn.send': 'Recevoir un code',
  'signIn.badEmail': 'Saisissez une adresse e-mail valide, par exemple nom@example.org.',
  'signIn.tooManyCodes':
    'Trop de codes ont été demandés. Utilisez le code du dernier e-mail reçu, valable 15 minutes, ou réessayez dans une heure.',
  'signIn.noCookies':
    'Votre navigateur a bloqué un cookie nécessaire à cette page. Autorisez les cookies pour ce site, ou ouvrez la page dans une fenêtre à part, puis réessayez.',
  'signIn.codeHeading': 'Saisissez votre code',
  'signIn.codeText': 'Nous avons envoyé un code à six chiffres à {email}. Il est valable 15 minutes.',
  'signIn.code': 'Code',
  'signIn.enter': 'Se connecter',
  'signIn.noMail': 'Pas d’e-mail ? Vérifiez vos courriers indésirables.',
  'signIn.otherEmail': 'Utiliser une autre adresse',
  'signIn.again': 'Envoyer un autre code',
  'signIn.sixDigits': 'Saisissez le code à six chiffres reçu par e-mail.',
  'signIn.wrongCode': {
    one: 'Ce code est incorrect. Utilisez le code du dernier e-mail reçu. Il vous reste {count} essai.',
    other: 'Ce code est incorrect. Utilisez le code du dernier e-mail reçu. Il vous reste {count} essais.',
  },
  'signIn.noAttemptsLeft':
    'Ce code est incorrect et il ne vous reste plus d’essai. Demandez un nouveau code ou utilisez le lien de l’e-mail.',
  'signIn.expiredCode': 'Ce code n’est plus valable. Demandez-en un nouveau.',
  'signIn.linkText': 'Vous vous connectez à {event} en tant que {email}.',
  'signIn.expiredLink': 'Il a déjà été utilisé ou a expiré. Demandez un nouveau code.',
}
