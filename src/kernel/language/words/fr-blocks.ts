import type { Catalogue } from '../translator.ts'

export const blocks: Catalogue = {
  'mail.blockReceived.subject': 'Demande de chambres {number} reçue : {event}',
  'mail.blockReceived.text': 'Nous avons reçu la demande {number} de {requester} pour {nights} nuitées, du {from} au {until}.',
  'mail.blockReceived.next': 'L’équipe hébergement l’examine et vous indiquera par e-mail les chambres disponibles pour vous.',
  'mail.blockAllocated.subject': 'Chambres pour {requester} à {event}',
  'mail.blockAllocated.text': 'Nous proposons à {requester} {granted} des {nights} nuitées de la demande {number} : {hotels}.',
  'mail.block.until': 'Acceptez ou refusez avant le {deadline}. Ensuite, les chambres seront libérées.',
  'mail.blockAmended.subject': 'Modification de la demande de chambres {number} : {event}',
  'mail.blockAmended.approved': 'La modification de la demande {number} a été acceptée.',
  'mail.blockAmended.denied': 'La modification de la demande {number} n’a pas été acceptée. Vos chambres restent inchangées.',
  'mail.blockAmended.changed': 'L’équipe hébergement a modifié les chambres de la demande {number}.',
  'mail.block.rooms': '{requester} a maintenant {granted} nuitées : {hotels}.',
  'mail.blockReleased.subject': 'Chambres de la demande {number} libérées : {event}',
  'mail.blockReleased.text':
    '{released} nuitées de la demande {number} sans client ont été libérées. Les réservations des clients désignés restent valables.',
  'mail.block.button': 'Voir la demande',
  'mail.required.request': 'Demande',
}
