import type { Catalogue } from '../translator.ts'

export const hotel: Catalogue = {
  'mail.pciOverride.subject': 'Os cartões podem ser enviados ao {hotel} sem atestado',
  'mail.pciOverride.heading': 'Cartões autorizados sem atestado',
  'mail.pciOverride.text':
    '{by} permite o envio dos cartões dos hóspedes ao {hotel} para {event} até {day}, embora o hotel não tenha um atestado PCI válido.',
  'mail.pciOverride.cards': 'Cartões abrangidos: {count}.',
  'mail.pciOverride.reason': 'Motivo: {reason}',
}
