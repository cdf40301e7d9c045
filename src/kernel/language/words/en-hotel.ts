/** Texts of the hotel's pages and the emails about hotels. */
export const hotel = {
  'mail.pciOverride.subject': 'Cards may go to {hotel} without an attestation',
  'mail.pciOverride.heading': 'Cards released without an attestation',
  'mail.pciOverride.text':
    '{by} lets guests’ cards go to {hotel} for {event} until {day}, although the hotel has no valid PCI attestation.',
  'mail.pciOverride.cards': 'Cards concerned: {count}.',
  'mail.pciOverride.reason': 'Reason: {reason}',
} as const
