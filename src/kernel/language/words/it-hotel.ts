import type { Catalogue } from '../translator.ts'

export const hotel: Catalogue = {
  'mail.pciOverride.subject': 'Le carte possono essere inviate a {hotel} senza attestazione',
  'mail.pciOverride.heading': 'Carte autorizzate senza attestazione',
  'mail.pciOverride.text':
    '{by} consente l’invio delle carte degli ospiti a {hotel} per {event} fino al {day}, anche se l’hotel non ha un’attestazione PCI valida.',
  'mail.pciOverride.cards': 'Carte interessate: {count}.',
  'mail.pciOverride.reason': 'Motivo: {reason}',
}
