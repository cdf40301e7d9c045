import type { FieldDocsByTool } from '../meanings.ts'

export const DATA_DICTIONARY_RESULT_DOCS: FieldDocsByTool = {
  describe_data: {
    entities: 'What can be counted and listed. `rows` is an estimate. Entities of areas that you may not read are left out.',
    fields: 'Fields with type and class. A field that you may not read has `allowed` false and the permission that it needs.',
    relations: 'Relations to other entities. A to-one relation may lead a path; a to-many relation is used in filters.',
    metrics: 'The metrics.',
    metricCount: 'How many metrics there are, if the entities are listed.',
    note: 'What to ask next, or that the list was cut.',
    examples: 'Arguments of `query_data` that you may run.',
    grammar: 'The rules of the query language, or notes about reports.',
    charts: 'The kinds of charts of `plot_data` and what each needs.',
  },
  get_report_fields: {
    fields: 'Fields that a widget may show, with the formats and aggregates that fit. A field that you may not read has `allowed` false.',
    parameters: 'The parameters of the report.',
    standardColumns: 'The columns of a standard report in their order.',
    metrics: 'Codes of metrics that a widget may show.',
    widgetTypes: 'The kinds of widgets with their properties beside id, title and place.',
  },
}
