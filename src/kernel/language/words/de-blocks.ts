import type { Catalogue } from '../translator.ts'

export const blocks: Catalogue = {
  'mail.blockReceived.subject': 'Zimmeranfrage {number} eingegangen: {event}',
  'mail.blockReceived.text': 'Wir haben die Anfrage {number} von {requester} über {nights} Zimmernächte erhalten, {from} bis {until}.',
  'mail.blockReceived.next': 'Das Hotelteam prüft sie und teilt Ihnen per E-Mail mit, welche Zimmer Sie bekommen können.',
  'mail.blockAllocated.subject': 'Zimmer für {requester} bei {event}',
  'mail.blockAllocated.text': 'Wir bieten {requester} {granted} der {nights} Zimmernächte aus Anfrage {number} an: {hotels}.',
  'mail.block.until': 'Nehmen Sie bis {deadline} an oder lehnen Sie ab. Danach werden die Zimmer freigegeben.',
  'mail.blockAmended.subject': 'Änderung der Zimmeranfrage {number}: {event}',
  'mail.blockAmended.approved': 'Die Änderung der Anfrage {number} wurde genehmigt.',
  'mail.blockAmended.denied': 'Die Änderung der Anfrage {number} wurde nicht genehmigt. Ihre Zimmer bleiben, wie sie sind.',
  'mail.blockAmended.changed': 'Das Hotelteam hat die Zimmer der Anfrage {number} geändert.',
  'mail.block.rooms': '{requester} hat jetzt {granted} Zimmernächte: {hotels}.',
  'mail.blockReleased.subject': 'Zimmer der Anfrage {number} freigegeben: {event}',
  'mail.blockReleased.text':
    '{released} Zimmernächte der Anfrage {number} ohne Gast wurden freigegeben. Buchungen benannter Gäste bleiben bestehen.',
  'mail.block.button': 'Anfrage ansehen',
  'mail.required.request': 'Anfrage',
}
