#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The record, its manual and its catalog say the same: the fields of record.c and confine-audit(7), the events and MESSAGE_IDs
# of record.c, confine-audit(7) and units/confine.catalog.
use strict;
use warnings;
use Test::More;

sub slurp {
    my ($file) = @_;
    open my $handle, '<', $file or die "$file: $!";
    local $/;
    return scalar <$handle>;
}
my $record = slurp('supervisor/record.c');
my $manual = slurp('man/confine-audit.7');
my $catalog = slurp('units/confine.catalog');

my %written = map { $_ => 1 } $record =~ /(?:\{ |\(record, )"([A-Z][A-Z0-9_]+)",/g;
my %told = map { $_ => 1 } grep { !/^LABEL_/ } $manual =~ /^\.It Ev CONFINE_([A-Z0-9_]+)$/mg;
ok(keys %written > 30, 'the fields of record.c are read');
is(join(' ', sort keys %told), join(' ', sort keys %written), 'confine-audit(7) has the fields of record.c');

my %read = map { $_ => 1 } slurp('supervisor/log-fields.def') =~ /^FIELD\("([A-Z0-9_]+)", (?:true|false)\)$/mg;
is(join(' ', sort keys %read), join(' ', sort keys %written), 'confine log knows them');
my ($members) = slurp('policy/schema/log.json') =~ /"properties": \{(.*)\n  \}/s;
my %shown = map { uc($_) => 1 } $members =~ /^    "([a-z0-9_]+)": /mg;
is(join(' ', grep { !$shown{$_} } sort keys %written), '', 'and the schema of its JSON too');

my %event = reverse $record =~ /\{ "([a-z-]+)", "([0-9a-f]{32})" \}/g;
my %item = reverse $manual =~ /^\.It Cm ([a-z-]+)\nMESSAGE_ID ([0-9a-f]{32})\.$/mg;
is(keys %event, 7, 'the events of record.c are read');
is_deeply(\%item, \%event, 'confine-audit(7) has their MESSAGE_IDs');
my @explained = sort $catalog =~ /^-- ([0-9a-f]{32})$/mg;
is("@explained", join(' ', sort keys %event), 'the catalog explains each of them, and nothing else');
my @unknown = grep { !$written{$_} } $catalog =~ /\@CONFINE_([A-Z0-9_]+)@/g;
is("@unknown", '', 'with fields that there are');
my @texts = split /^-- /m, $catalog;
shift @texts;
is((grep { /^Documentation: man:confine-audit\(7\)$/m } @texts), @texts, 'and the manual page');
done_testing();
