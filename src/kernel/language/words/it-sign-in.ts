export const italianSignInTexts = {
  'signIn.signedInAs': 'Accesso effettuato come {email}',
  'signIn.heading': 'Accesso',
  'signIn.text': 'Le invieremo per e-mail un codice per aprire la sua iscrizione a {event}.',
  'signIn.errorSummary': 'Corregga quanto segue:',
  'signIn.email': 'E-mail',
  'signIn.send': 'Inviami un codice',
  'signIn.badEmail': 'Inserisca un indirizzo e-mail valido, ad esempio nome@example.org.',
  'signIn.tooManyCodes':
    'Sono stati richiesti troppi codici. Usi il codice dell’ultima e-mail, valido per 15 minuti, oppure riprovi tra un’ora.',
  'signIn.noCookies':
    'Il browser ha bloccato un cookie necessario per questa pagina. Consenta i cookie per questo sito, oppure apra la pagina in una finestra a parte, e riprovi.',
  'signIn.codeHeading': 'Inserisca il codice',
  'signIn.codeText': 'Abbiamo inviato un codice di sei cifre a {email}. È valido per 15 minuti.',
  'signIn.code': 'Codice',
  'signIn.enter': 'Accedi',
  'signIn.noMail': 'Nessuna e-mail? Controlli la cartella dello spam.',
  'signIn.otherEmail': 'Usa un altro indirizzo',
  'signIn.again': 'Invia un altro codice',
  'signIn.sixDigits': 'Inserisca il codice di sei cifre ricevuto per e-mail.',
  'signIn.wrongCode': {
    one: 'Il codice non è corretto. Usi il codice dell’ultima e-mail. Le resta {count} tentativo.',
    other: 'Il codice non è corretto. Usi il codice dell’ultima e-mail. Le restano {count} tentativi.',
  },
  'signIn.noAttemptsLeft': 'Il codice non è corretto e non ha altri tentativi. Richieda un nuovo codice o usi il link nell’e-mail.',
  'signIn.expiredCode': 'Il codice non è più valido. Ne richieda uno nuovo.',
  'signIn.linkText': 'Sta accedendo a {event} come {email}.',
  'signIn.expiredLink': 'È già stato usato o è scaduto. Richieda un nuovo codice.',
}
