import type { Catalogue } from '../translator.ts'

export const blocks: Catalogue = {
  'mail.blockReceived.subject': 'Kameraanvraag {number} ontvangen: {event}',
  'mail.blockReceived.text': 'We hebben aanvraag {number} van {requester} ontvangen voor {nights} kamernachten, {from} tot {until}.',
  'mail.blockReceived.next': 'Het hotelteam beoordeelt de aanvraag en mailt u welke kamers u kunt krijgen.',
  'mail.blockAllocated.subject': 'Kamers voor {requester} op {event}',
  'mail.blockAllocated.text': 'We bieden {requester} {granted} van de {nights} kamernachten uit aanvraag {number} aan: {hotels}.',
  'mail.block.until': 'Accepteer of weiger vóór {deadline}. Daarna worden de kamers vrijgegeven.',
  'mail.blockAmended.subject': 'Wijziging van kameraanvraag {number}: {event}',
  'mail.blockAmended.approved': 'De wijziging van aanvraag {number} is goedgekeurd.',
  'mail.blockAmended.denied': 'De wijziging van aanvraag {number} is niet goedgekeurd. Uw kamers blijven zoals ze zijn.',
  'mail.blockAmended.changed': 'Het hotelteam heeft de kamers van aanvraag {number} gewijzigd.',
  'mail.block.rooms': '{requester} heeft nu {granted} kamernachten: {hotels}.',
  'mail.blockReleased.subject': 'Kamers van aanvraag {number} vrijgegeven: {event}',
  'mail.blockReleased.text':
    '{released} kamernachten van aanvraag {number} zonder gast zijn vrijgegeven. Reserveringen van genoemde gasten blijven bestaan.',
  'mail.block.button': 'Aanvraag bekijken',
  'mail.required.request': 'Aanvraag',
}
