import type { TemplateTexts } from '../texts.ts'

export const italianTemplateTexts: TemplateTexts = {
  registration: 'Iscrizione',
  contact: 'I suoi dati',
  choices: 'Le sue scelte',
  thanks: 'Grazie',
  registered: 'La sua iscrizione è completa. Riceverà a breve una conferma per e-mail.',
  terms: 'Condizioni di partecipazione',
  termsText:
    'Iscrivendomi accetto che l’organizzazione conservi i miei dati per lo svolgimento di questo evento e mi contatti al riguardo.',
  confirmation: 'Conferma',
  confirmationSubject: 'La sua iscrizione a {{event.name}}',
  confirmationHello: 'Grazie, {{participant.firstName}}',
  confirmationText:
    'La sua iscrizione a {{event.name}} è confermata. Il suo numero di conferma è <strong>{{participant.confirmationNumber}}</strong>.',
  confirmationButton: 'Vedi o modifica la mia iscrizione',
  cancellation: 'Annullamento',
  cancellationSubject: 'La sua iscrizione a {{event.name}} è annullata',
  cancellationText:
    'Buongiorno {{participant.firstName}}, la sua iscrizione a {{event.name}} è annullata. Se si tratta di un errore, scriva a {{event.contactEmail}}.',
  admission: 'Ingresso',
  attendance: 'Partecipazione',
  dietaryHelp: 'Così il catering potrà prevedere qualcosa di adatto a lei.',
  onlineAccess: 'Accesso online',
  visitorTicket: 'Biglietto visitatore',
  booth: 'Stand',
  boothSmall: 'Piccolo, 3 × 3 m',
  boothMedium: 'Medio, 6 × 3 m',
  boothLarge: 'Grande, 6 × 6 m',
  exhibitors: 'Richiesta di stand per espositori',
  exhibits: 'Che cosa esporrà?',
  yourBooth: 'Il suo stand',
  applied: 'Grazie per la sua richiesta. Le scriveremo a proposito del suo stand.',
}
