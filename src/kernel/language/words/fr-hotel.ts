import type { Catalogue } from '../translator.ts'

export const hotel: Catalogue = {
  'mail.pciOverride.subject': 'Les cartes peuvent être transmises à {hotel} sans attestation',
  'mail.pciOverride.heading': 'Cartes transmises sans attestation',
  'mail.pciOverride.text':
    '{by} autorise la transmission des cartes des clients à {hotel} pour {event} jusqu’au {day}, bien que l’hôtel n’ait pas d’attestation PCI valable.',
  'mail.pciOverride.cards': 'Cartes concernées : {count}.',
  'mail.pciOverride.reason': 'Motif : {reason}',
}
