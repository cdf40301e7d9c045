import type { TemplateTexts } from '../texts.ts'

export const dutchTemplateTexts: TemplateTexts = {
  registration: 'Inschrijving',
  contact: 'Uw gegevens',
  choices: 'Uw keuzes',
  thanks: 'Hartelijk dank',
  registered: 'U bent ingeschreven. U ontvangt een bevestiging per e-mail.',
  terms: 'Deelnamevoorwaarden',
  termsText:
    'Door mij in te schrijven ga ik ermee akkoord dat de organisatie mijn gegevens bewaart om dit evenement te organiseren en mij daarover benadert.',
  confirmation: 'Bevestiging',
  confirmationSubject: 'Uw inschrijving voor {{event.name}}',
  confirmationHello: 'Hartelijk dank, {{participant.firstName}}',
  confirmationText:
    'U bent ingeschreven voor {{event.name}}. Uw bevestigingsnummer is <strong>{{participant.confirmationNumber}}</strong>.',
  confirmationButton: 'Mijn inschrijving bekijken of wijzigen',
  cancellation: 'Annulering',
  cancellationSubject: 'Uw inschrijving voor {{event.name}} is geannuleerd',
  cancellationText:
    'Beste {{participant.firstName}}, uw inschrijving voor {{event.name}} is geannuleerd. Klopt dit niet, schrijf dan naar {{event.contactEmail}}.',
  admission: 'Toegang',
  attendance: 'Deelname',
  dietaryHelp: 'Dan kan de catering iets passends voor u verzorgen.',
  onlineAccess: 'Online toegang',
  visitorTicket: 'Bezoekersticket',
  booth: 'Stand',
  boothSmall: 'Klein, 3 × 3 m',
  boothMedium: 'Middelgroot, 6 × 3 m',
  boothLarge: 'Groot, 6 × 6 m',
  exhibitors: 'Aanmelding voor exposanten',
  exhibits: 'Wat gaat u tonen?',
  yourBooth: 'Uw stand',
  applied: 'Hartelijk dank voor uw aanmelding. Wij schrijven u over uw stand.',
}
