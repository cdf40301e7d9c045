import type { Catalogue } from '../translator.ts'

export const hotel: Catalogue = {
  'mail.pciOverride.subject': 'Karten dürfen ohne Nachweis an {hotel} gehen',
  'mail.pciOverride.heading': 'Karten ohne Nachweis freigegeben',
  'mail.pciOverride.text':
    '{by} lässt Karten von Gästen für {event} bis {day} an {hotel} weitergeben, obwohl das Hotel keinen gültigen PCI-Nachweis hat.',
  'mail.pciOverride.cards': 'Betroffene Karten: {count}.',
  'mail.pciOverride.reason': 'Grund: {reason}',
}
