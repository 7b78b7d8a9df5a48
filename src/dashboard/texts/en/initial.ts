// The texts in English that the first page can show. They are part of the initial load, so they are few.
import { common, errors, shell } from './common.ts';
import { home } from './home.ts';
import { invitation, roles } from './invitation.ts';
import { adding, projects } from './projects.ts';
import { releasing } from './releasing.ts';
import { setup } from './setup.ts';

export const initial = {
  common,
  errors,
  shell,
  invitation,
  roles,
  home,
  setup,
  projects,
  adding,
  releasing,
};
