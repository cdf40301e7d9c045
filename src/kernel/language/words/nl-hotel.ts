import type { Catalogue } from '../translator.ts'

export const hotel: Catalogue = {
  'mail.pciOverride.subject': 'Kaarten mogen zonder verklaring naar {hotel}',
  'mail.pciOverride.heading': 'Kaarten vrijgegeven zonder verklaring',
  'mail.pciOverride.text':
    '{by} staat toe dat kaarten van gasten voor {event} tot en met {day} naar {hotel} gaan, hoewel het hotel geen geldige PCI-verklaring heeft.',
  'mail.pciOverride.cards': 'Betrokken kaarten: {count}.',
  'mail.pciOverride.reason': 'Reden: {reason}',
}
