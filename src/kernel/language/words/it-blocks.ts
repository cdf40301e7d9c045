import type { Catalogue } from '../translator.ts'

export const blocks: Catalogue = {
  'mail.blockReceived.subject': 'Richiesta di camere {number} ricevuta: {event}',
  'mail.blockReceived.text': 'Abbiamo ricevuto la richiesta {number} di {requester} per {nights} notti camera, dal {from} al {until}.',
  'mail.blockReceived.next': 'Il team alloggi la esamina e vi comunicherà per email quali camere potete avere.',
  'mail.blockAllocated.subject': 'Camere per {requester} a {event}',
  'mail.blockAllocated.text': 'Offriamo a {requester} {granted} delle {nights} notti camera della richiesta {number}: {hotels}.',
  'mail.block.until': 'Accettate o rifiutate entro il {deadline}. Dopo le camere vengono liberate.',
  'mail.blockAmended.subject': 'Modifica della richiesta di camere {number}: {event}',
  'mail.blockAmended.approved': 'La modifica della richiesta {number} è stata approvata.',
  'mail.blockAmended.denied': 'La modifica della richiesta {number} non è stata approvata. Le vostre camere restano invariate.',
  'mail.blockAmended.changed': 'Il team alloggi ha modificato le camere della richiesta {number}.',
  'mail.block.rooms': '{requester} ha ora {granted} notti camera: {hotels}.',
  'mail.blockReleased.subject': 'Camere della richiesta {number} liberate: {event}',
  'mail.blockReleased.text':
    '{released} notti camera senza ospite della richiesta {number} sono state liberate. Le prenotazioni degli ospiti indicati restano valide.',
  'mail.block.button': 'Vedi la richiesta',
  'mail.required.request': 'Richiesta',
}
