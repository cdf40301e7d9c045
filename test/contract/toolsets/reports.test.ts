import { describeContract } from '../contract.ts'

describeContract('reports')
