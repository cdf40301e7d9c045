/** Texts of figures in designed reports. */
export const reportWidgets = {
  'reportFigure.comparedWithPeriod': 'compared with {value} in the previous period',
  'reportFigure.comparedWithEvent': 'compared with {value} at {event}',
} as const
