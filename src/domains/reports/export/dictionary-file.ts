import type { ExportedEntity } from './plan-export.ts'

/**
 * Describes the exported fields, with type and data class, and how the exported files refer to each other, for the dictionary in an export.
 */
export const describeFields = (entities: readonly ExportedEntity[]) =>
  entities.map(({ name, entity, fields }) => ({
    entity: name,
    label: entity.label,
    rowIs: entity.rowIs,
    fields: fields.map(({ path, field, isPseudonym }) => ({
      path,
      label: field.label,
      type: field.type,
      class: field.class ?? 'open',
      ...(field.choices ? { choices: field.choices } : {}),
      ...(isPseudonym ? { pseudonym: true } : {}),
    })),
    relations: Object.entries(entity.relations).map(([relation, { to, many }]) => ({
      name: relation,
      to,
      many,
      ...(entity.fields[`${relation}Id`] ? { field: `${relation}Id` } : {}),
    })),
  }))

/** Writes the text that explains an export archive to its reader. */
export const writeReadme = (given: { event: string; asOf: string; requestedBy: string; personalData: string }) => `Export of ${given.event}

Figures as of ${given.asOf}, exported by ${given.requestedBy}. Personal data: ${given.personalData}.

manifest.json     list of all files with rows, bytes and SHA-256, totals of the event, and what was left out
SHA256SUMS        check the files with: sha256sum -c SHA256SUMS
dictionary.json   fields with type, class and relations
data/*.csv        one file per entity: UTF-8, comma separated, money as an amount and a currency column, lists joined by |
data/*.jsonl      the same rows as JSON lines
config/           the draft and the published version of the event document
files/            files of the library and uploads

Ids join the files: the field orderId of data/orderLine.csv has the id of a row of data/order.csv.
${given.personalData === 'none' ? 'Ids, numbers and badge ids are pseudonyms that are valid in this export only.\n' : 'This archive contains personal data. Keep it safe and delete it when you no longer need it.\n'}`
