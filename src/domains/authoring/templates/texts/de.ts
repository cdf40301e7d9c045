import type { TemplateTexts } from '../texts.ts'

export const germanTemplateTexts: TemplateTexts = {
  registration: 'Anmeldung',
  contact: 'Ihre Angaben',
  choices: 'Ihre Auswahl',
  thanks: 'Vielen Dank',
  registered: 'Sie sind angemeldet. Eine Bestätigung ist per E-Mail zu Ihnen unterwegs.',
  terms: 'Teilnahmebedingungen',
  termsText:
    'Mit meiner Anmeldung bin ich damit einverstanden, dass der Veranstalter meine Angaben zur Durchführung dieser Veranstaltung speichert und mich dazu kontaktiert.',
  confirmation: 'Bestätigung',
  confirmationSubject: 'Ihre Anmeldung für {{event.name}}',
  confirmationHello: 'Vielen Dank, {{participant.firstName}}',
  confirmationText:
    'Sie sind für {{event.name}} angemeldet. Ihre Bestätigungsnummer ist <strong>{{participant.confirmationNumber}}</strong>.',
  confirmationButton: 'Anmeldung ansehen oder ändern',
  cancellation: 'Stornierung',
  cancellationSubject: 'Ihre Anmeldung für {{event.name}} ist storniert',
  cancellationText:
    'Guten Tag {{participant.firstName}}, Ihre Anmeldung für {{event.name}} ist storniert. Falls das ein Irrtum ist, schreiben Sie bitte an {{event.contactEmail}}.',
  admission: 'Eintritt',
  attendance: 'Teilnahme',
  dietaryHelp: 'Damit beim Essen etwas für Sie dabei ist.',
  onlineAccess: 'Online-Zugang',
  visitorTicket: 'Besucherticket',
  booth: 'Stand',
  boothSmall: 'Klein, 3 × 3 m',
  boothMedium: 'Mittel, 6 × 3 m',
  boothLarge: 'Groß, 6 × 6 m',
  exhibitors: 'Standanmeldung für Aussteller',
  exhibits: 'Was stellen Sie aus?',
  yourBooth: 'Ihr Stand',
  applied: 'Vielen Dank für Ihre Bewerbung. Wir schreiben Ihnen zu Ihrem Stand.',
}
