// Everything can be read without this: it only switches views, sorts tables and opens what a link leads to.
(function () {
  'use strict';
  function each(list, visit) { Array.prototype.forEach.call(list, visit); }

  // One view of the source at a time, chosen by buttons.
  function makeSwitch(views) {
    var sections = views.querySelectorAll('section.view');
    if (sections.length === 1) { return; }
    var group = document.createElement('div');
    group.className = 'switch';
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', 'View of the source');
    function show(chosen) {
      each(sections, function (section, i) {
        section.hidden = section !== chosen;
        group.children[i].setAttribute('aria-pressed', String(section === chosen));
      });
    }
    each(sections, function (section) {
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = section.querySelector('h4').textContent;
      button.addEventListener('click', function () { show(section); });
      group.appendChild(button);
      section.showView = function () { show(section); };
    });
    views.insertBefore(group, sections[0]);
    show(sections[0]);
  }

  // Numbers from the largest, then from the smallest, then the order of the file.
  function valueOf(row, column) {
    var cell = row.cells[column];
    var number = cell === undefined ? NaN : parseFloat(cell.textContent.replace(/,/g, ''));
    return isNaN(number) ? -1 : number;
  }
  function sortBy(table, column, header) {
    var body = table.tBodies[0];
    var state = header.getAttribute('aria-sort');
    var next = state === 'descending' ? 'ascending' : state === 'ascending' ? 'none' : 'descending';
    if (!table.fileOrder) { table.fileOrder = Array.prototype.slice.call(body.rows); }
    each(table.tHead.rows[0].cells, function (cell) { cell.removeAttribute('aria-sort'); });
    var rows = table.fileOrder.slice();
    if (next !== 'none') {
      header.setAttribute('aria-sort', next);
      rows.sort(function (a, b) {
        var difference = valueOf(b, column) - valueOf(a, column);
        return next === 'descending' ? difference : -difference;
      });
    }
    each(rows, function (row) {
      row.classList.toggle('unused', next !== 'none' ? row.classList.contains('gap') : false);
      body.appendChild(row);
    });
  }
  function makeSortable(table) {
    each(table.tHead.rows[0].cells, function (header, column) {
      if (!header.classList.contains('n') || column === 0) { return; }
      var button = document.createElement('button');
      button.type = 'button';
      button.className = 'sort';
      button.textContent = header.textContent;
      button.title = 'Sort by ' + header.textContent;
      header.textContent = '';
      header.appendChild(button);
      button.addEventListener('click', function () { sortBy(table, column, header); });
    });
  }

  // A link into a view that is not shown, or into closed details, opens it.
  function reveal() {
    var id = decodeURIComponent(location.hash.slice(1));
    var target = id === '' ? null : document.getElementById(id);
    if (target === null) { return; }
    for (var at = target; at !== null; at = at.parentElement) {
      if (at.showView) { at.showView(); }
      if (at.tagName === 'DETAILS') { at.open = true; }
    }
    target.scrollIntoView({ block: target.tagName === 'TR' ? 'center' : 'start' });
  }

  each(document.querySelectorAll('.views'), makeSwitch);
  each(document.querySelectorAll('table.source'), makeSortable);
  window.addEventListener('hashchange', reveal);
  reveal();

  // Paper has no buttons: all views are printed.
  var hidden = [];
  window.addEventListener('beforeprint', function () {
    hidden = Array.prototype.slice.call(document.querySelectorAll('section.view[hidden]'));
    each(hidden, function (section) { section.hidden = false; });
  });
  window.addEventListener('afterprint', function () {
    each(hidden, function (section) { section.hidden = true; });
  });
}());
