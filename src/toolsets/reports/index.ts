import { toolset } from '../../kernel/tool.ts'
import queryData from './query-data.ts'

export default toolset('reports', [queryData])
