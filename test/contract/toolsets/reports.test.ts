import { contractOf } from '../contract.ts'

contractOf('reports')
