import type { FieldDocsByTool } from '../meanings.ts'

export const DATA_DICTIONARY_ARGUMENT_DOCS: FieldDocsByTool = {
  describe_data: {
    entity: 'An entity by name. The result has its fields, relations, metrics and three example queries.',
    field: 'One field by its path, from the given entity or with the name of the entity first. Bindings are paths too.',
    search: 'Finds entities, fields and metrics by words in their names, labels, help and synonyms. Case and accents do not matter.',
    topic: 'A part of the description. Without any argument the entities are listed.',
  },
  get_report_fields: {
    report: 'A standard or designed report by its code. The result has its columns and parameters.',
    entity: 'An entity by name. The result has its fields and those over at most two to-one relations.',
    widgetType: 'Shows only the properties of this kind of widget.',
  },
}
