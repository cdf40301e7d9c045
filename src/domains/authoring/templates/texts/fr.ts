import type { TemplateTexts } from '../texts.ts'

export const frenchTemplateTexts: TemplateTexts = {
  registration: 'Inscription',
  contact: 'Vos coordonnées',
  choices: 'Vos choix',
  thanks: 'Merci',
  registered: 'Votre inscription est enregistrée. Vous allez recevoir une confirmation par e-mail.',
  terms: 'Conditions de participation',
  termsText:
    'En m’inscrivant, j’accepte que l’organisateur conserve mes informations pour l’organisation de cet événement et me contacte à ce sujet.',
  confirmation: 'Confirmation',
  confirmationSubject: 'Votre inscription à {{event.name}}',
  confirmationHello: 'Merci, {{participant.firstName}}',
  confirmationText:
    'Votre inscription à {{event.name}} est confirmée. Votre numéro de confirmation est <strong>{{participant.confirmationNumber}}</strong>.',
  confirmationButton: 'Voir ou modifier mon inscription',
  cancellation: 'Annulation',
  cancellationSubject: 'Votre inscription à {{event.name}} est annulée',
  cancellationText:
    'Bonjour {{participant.firstName}}, votre inscription à {{event.name}} est annulée. S’il s’agit d’une erreur, écrivez à {{event.contactEmail}}.',
  admission: 'Entrée',
  attendance: 'Participation',
  dietaryHelp: 'Pour que le traiteur prévoie un repas qui vous convienne.',
  onlineAccess: 'Accès en ligne',
  visitorTicket: 'Billet visiteur',
  booth: 'Stand',
  boothSmall: 'Petit, 3 × 3 m',
  boothMedium: 'Moyen, 6 × 3 m',
  boothLarge: 'Grand, 6 × 6 m',
  exhibitors: 'Demande de stand exposant',
  exhibits: 'Que présenterez-vous\u202f?',
  yourBooth: 'Votre stand',
  applied: 'Merci pour votre demande. Nous vous écrirons au sujet de votre stand.',
}
