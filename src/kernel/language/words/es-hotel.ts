import type { Catalogue } from '../translator.ts'

export const hotel: Catalogue = {
  'mail.pciOverride.subject': 'Las tarjetas pueden enviarse a {hotel} sin certificado',
  'mail.pciOverride.heading': 'Tarjetas autorizadas sin certificado',
  'mail.pciOverride.text':
    '{by} permite enviar las tarjetas de los huéspedes a {hotel} para {event} hasta el {day}, aunque el hotel no tiene un certificado PCI válido.',
  'mail.pciOverride.cards': 'Tarjetas afectadas: {count}.',
  'mail.pciOverride.reason': 'Motivo: {reason}',
}
