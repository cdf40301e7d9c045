import type { ToolMeanings } from '../meanings.ts'

const recordAt = (path: string) => ({
  [`${path}.status`]: 'State of the latest attestation. Cards go to hotels that are valid or expiring.',
  [`${path}.documentType`]: 'Report on compliance (AOC-ROC) or self-assessment (AOC-SAQ).',
  [`${path}.assessedOn`]: 'Day of the assessment.',
  [`${path}.validUntil`]: 'Last day of the attestation, 12 months after the assessment.',
  [`${path}.propertyCovered`]: 'Whether the document names this property.',
  [`${path}.fileId`]: 'The document.',
  [`${path}.reviewReason`]: 'Why it was rejected.',
  [`${path}.override`]: 'A grant in force.',
  [`${path}.override.reason`]: 'Why it was granted.',
  [`${path}.override.until`]: 'Its last day.',
  [`${path}.override.by`]: 'Who granted it.',
  [`${path}.cardsWaiting`]: 'Rooms guaranteed by a card that may not go to the hotel.',
})

export const HOTEL_PCI_RESULTS: ToolMeanings = {
  list_hotel_pci_records: {
    ...recordAt('records'),
    ...Object.fromEntries(
      Object.entries({
        missing: 'without an attestation',
        received: 'whose attestation waits for a review',
        rejected: 'whose attestation was rejected',
        valid: 'with a valid attestation',
        expiring: 'whose attestation ends within 30 days',
        expired: 'whose attestation has ended',
      }).map(([status, text]) => [`counts.${status}`, `Hotels ${text}.`]),
    ),
  },
  override_hotel_pci_aoc: { ...recordAt('record'), cardsReleased: 'Cards that are no longer withheld; negative after a revocation.' },
}
