import type { Catalogue } from '../translator.ts'

export const reportWidgets: Catalogue = {
  'reportFigure.comparedWithPeriod': 'par rapport à {value} sur la période précédente',
  'reportFigure.comparedWithEvent': 'par rapport à {value} pour {event}',
}
