// Operations on personal data exports.
import { interactive, type Operation, operation } from '../../http/operation.ts';
import { id, pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { dataExport, dataExportDownload, dataExportPage } from './schema.ts';
import * as service from './service.ts';

const tag = 'Developers';
const ofDeveloper = z.object({ developer_id: id() });
const ofExport = z.object({ export_id: id() });

export const exportRoutes: Operation[] = [
  operation({
    id: 'requestDataExport',
    tag,
    summary: 'Request an archive of your personal data',
    description:
      'While an export is being prepared, the response contains that one. Above the limits the response is 429 with ' +
      'details.reason repeat_export_rate_limited.',
    method: 'post',
    path: '/api/v1/developers/{developer_id}/exports',
    access: interactive,
    params: ofDeveloper,
    returns: dataExport,
    status: 202,
    handle: (ctx, { params }) => service.requestExport(ctx, params.developer_id),
  }),
  operation({
    id: 'listDataExports',
    tag,
    summary: 'List your data exports',
    method: 'get',
    path: '/api/v1/developers/{developer_id}/exports',
    access: interactive,
    params: ofDeveloper,
    query: z.object(pageQuery),
    returns: dataExportPage,
    status: 200,
    handle: (ctx, { params, query }) => service.listExports(ctx, params.developer_id, query),
  }),
  operation({
    id: 'getDataExport',
    tag,
    summary: 'Read a data export',
    method: 'get',
    path: '/api/v1/exports/{export_id}',
    access: interactive,
    params: ofExport,
    returns: dataExport,
    status: 200,
    handle: (ctx, { params }) => service.readExport(ctx, params.export_id),
  }),
  operation({
    id: 'downloadDataExport',
    tag,
    summary: 'Create a signed link to the archive of an export',
    method: 'get',
    path: '/api/v1/exports/{export_id}/download',
    access: interactive,
    params: ofExport,
    returns: dataExportDownload,
    status: 200,
    errors: [503],
    handle: (ctx, { params }) => service.downloadExport(ctx, params.export_id),
  }),
];
